"""Invocations of skills in a digest, whatever the agent calls them: a tool, a file that is read, a command of a person.

Agents that have a tool for it (`Skill`, `skill_view`) name the skill. Others read its `SKILL.md` with a read tool or a
shell command: it counts where it lies below a hidden folder, because agents keep their skills there
(`~/.agents/skills`, `.claude/skills`, plugins), and only in sessions that do not change it. People call skills by name:
some agents log that as a prompt (`/name`), others as a notice. Several calls of one skill with nothing but skills
between them are one use: long files are read in pieces.

Names that are no plain ones are left out: they are shown to agents. Pure, in time proportional to the steps.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import names
from afterwit.actions.tools import fold
from afterwit.model.digest import Digest, DigestStep, Said
from afterwit.model.kinds import ActionKind, Status
from afterwit.model.text.patterns import regex
from afterwit.redaction.plain_names import is_plain_name

FILE = "SKILL.md"
_MANAGING = frozenset(fold(name) for name in ("skills_list", "skill_manage"))
_READERS = names("cat head tail sed nl less more bat awk get-content type")
_PLUGIN = regex(
    r"/plugins/cache/[^/]+/(?P<plugin>[^/]+)/(?P<version>[^/]+)/(?:[^/]+/)*?skills/(?P<name>[^/]+)/SKILL\.md"
)
_NOT_DONE = (Status.DENIED, Status.CANCELLED)
_TYPED = regex(r"\s*/(?P<name>[A-Za-z][\w:.-]*)(?:\s|$)")
_BUILT_IN = names(
    "add-dir agents bashes bug chat clear compact config context copy cost diff doctor edit effort exit export fast"
    " feedback fork goal help hooks ide init install-github-app keybindings login logout mcp memory model models mouse"
    " new output-style permissions plan plugin privacy-settings quit reload-plugins remote-control rename resume rewind"
    " sandbox sessions settings share skills status statusline stop tasks terminal-setup theme todos undo upgrade usage"
    " vim voice"
)


class Invocation(NamedTuple):
    """One use of a skill."""

    name: str  # of a plugin's skill: `plugin:skill`
    version: str  # "" where nothing tells it
    at: int  # the step; of a typed one, the step before which it was typed
    is_typed: bool = False

    @property
    def next_step(self) -> int:
        """The first step that follows."""
        return self.at if self.is_typed else self.at + 1


def invocations(digest: Digest) -> list[Invocation]:
    """All uses of skills in a session, in order."""
    calls = sorted((*_typed(digest), *_called(digest)), key=lambda call: (call.at, not call.is_typed))
    uses: list[Invocation] = []
    running: set[str] = set()  # skills of the present run of calls
    last = -1
    for call in calls:
        if call.at > last + 1:
            running.clear()
        last = call.at if not call.is_typed else call.at - 1
        if call.name not in running:
            running.add(call.name)
            uses.append(call)
    return uses


def positions(digest: Digest, said: Sequence[Said]) -> list[int]:
    """The first step after each thing that was said; of what has no time, the first of all."""
    begun_ms = digest.started_ms or 0
    clock = list(accumulate((step.at_s or 0 for step in digest.steps), max))
    return [0 if words.at_ms is None else bisect_left(clock, (words.at_ms - begun_ms) // 1000) for words in said]


def _typed(digest: Digest) -> Iterator[Invocation]:
    prompts = [said for said in digest.prompts if said.at_ms is not None and _TYPED.match(said.text)]
    for said, at in zip(prompts, positions(digest, prompts), strict=True):
        match = _TYPED.match(said.text)
        if match and match["name"].lower() not in _BUILT_IN and is_plain_name(match["name"]):
            yield Invocation(match["name"], "", at, is_typed=True)
    called = [said for said in digest.called if said.at_ms is not None]
    for said, at in zip(called, positions(digest, called), strict=True):
        skill = _skill_of(said.text) or _Skill(said.text, "")
        if is_plain_name(skill.name):
            yield Invocation(*skill, at, is_typed=True)


def _called(digest: Digest) -> Iterator[Invocation]:
    worked_on = {path for step in digest.steps if step.has_changed for path in map(_skill_of, _changed(step)) if path}
    for at, step in enumerate(digest.steps):
        if step.has_failed or step.status in _NOT_DONE:
            continue
        if step.kind is ActionKind.SKILL:
            name = step.target.strip().removeprefix("/")
            if fold(step.tool) not in _MANAGING and is_plain_name(name):
                yield Invocation(name, "", at)
            continue
        for path in dict.fromkeys(_read(step)):
            skill = _skill_of(path)
            if skill is not None and skill not in worked_on and _is_agents(path):
                yield Invocation(*skill, at)


def _changed(step: DigestStep) -> tuple[str, ...]:
    return step.files or (step.target,)


def _read(step: DigestStep) -> Iterator[str]:
    """Paths of skills that a step reads."""
    if FILE not in step.target:
        return
    if step.kind is ActionKind.READ:
        yield step.target
    elif step.kind is ActionKind.SHELL:
        for command in parsed(step.target).commands:
            if command.program.lower() in _READERS and "-i" not in command.flags:
                for word in command.arguments:
                    if word.endswith(FILE):
                        yield word if "/" in word or not command.folder else f"{command.folder}/{word}"


class _Skill(NamedTuple):
    name: str
    version: str


def _skill_of(path: str) -> _Skill | None:
    """The skill that a path is the text of."""
    unified = path.replace("\\", "/")
    plugin = _PLUGIN.search(unified)
    if plugin:
        name = f"{plugin['plugin']}:{plugin['name']}"
        return _Skill(name, plugin["version"]) if is_plain_name(name) else None
    *folders, file = unified.split("/")
    return _Skill(folders[-1], "") if file == FILE and folders and is_plain_name(folders[-1]) else None


def _is_agents(path: str) -> bool:
    return any(len(part) > 1 and part[0] == "." and part != ".." for part in path.replace("\\", "/").split("/"))
