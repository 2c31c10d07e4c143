"""What follows a use of a skill, and what follows ordinary actions, in one session. Pure, linear in the steps.

A *moment* is what follows an action: at most ten actions within five minutes. Its *value* is the share of them that
change files or publish something, less the share that fail; its *level* is the value of the rest of the session: how
easy that was. Moments of skills follow their uses. Ordinary moments follow other actions and reach into no moment of a
skill; they are what uses elsewhere are compared with. Moments are comparable in the same *phase*: what stands right
before them, and how far the session has come. Values and levels are kept in units of 1/`SCALE`, which pack well.

A skill is used by a tool (`Skill`, `skill_view`) that names it, or by a read of its `SKILL.md`, which counts where it
lies below a hidden folder, because agents keep their skills there, and only in sessions that do not change it. People
call skills by name: some agents log that as a prompt (`/name`), others as a notice. Several calls of one skill with
nothing but skills between them are one use: long files are read in pieces. Names that are no plain ones are left out:
they are shown to agents.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import names
from afterwit.actions.tools import fold
from afterwit.harvest.harvester import failures_of
from afterwit.model.digest import Digest, Said
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step
from afterwit.model.knowledge import Seen
from afterwit.model.text import regex
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
ACTIONS = 10
SECONDS = 300
SCALE = 10_000
_RECENT = 3  # actions
_LEAST_REST = 5  # actions besides a moment, that tell how easy a session was
_DENSE = 8  # ordinary moments follow each of so many first actions, …
_STRIDE = 4  # … and then every fourth
_FARTHEST = 7  # phases by the distance from the start, which doubles from one to the next
_NO_FAILURES = (FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER)
_JUST_FAILED, _FAILED, _PROMPTED, _UNCHANGED, _CHANGED = range(5)
_STATES = 5


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


def _changed(step: Step) -> tuple[str, ...]:
    return step.files or (step.target,)


def _read(step: Step) -> Iterator[str]:
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


class SkillUse(msgspec.Struct, frozen=True, array_like=True):
    """One use of a skill, and what followed within ten actions and five minutes."""

    name: str
    version: str
    at: int  # the step
    at_s: int | None
    phase: int
    actions: int
    edits: int  # that changed files, or published something
    failures: int
    is_again: bool  # the same skill was used again within five minutes
    level: int | None = None  # None where nothing follows, or too little is left of the session to compare with

    @property
    def value(self) -> float:
        return (self.edits - self.failures) / self.actions if self.actions else 0.0


class PhaseMoments(msgspec.Struct, frozen=True, array_like=True):
    """The ordinary moments of one phase of a session, on average."""

    phase: int
    value: int
    level: int
    noise: int  # the variance of the level, by how few actions it was counted from


class SkillSession(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """What one session shows of skills: its uses, and its ordinary moments to compare others with."""

    task_type: str
    outcome: str
    uses: tuple[SkillUse, ...] = ()
    phases: tuple[PhaseMoments, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.uses)


class _Stretch(NamedTuple):
    begin: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.begin


class _Tally(NamedTuple):
    """Actions, those that were productive, and those that failed."""

    actions: int
    edits: int
    failures: int

    def without(self, other: "_Tally") -> "_Tally":
        return _Tally(self.actions - other.actions, self.edits - other.edits, self.failures - other.failures)

    @property
    def value(self) -> float:
        return (self.edits - self.failures) / self.actions if self.actions else 0.0

    @property
    def noise(self) -> float:
        """The variance of the value, if actions came out independently of each other."""
        return ((self.edits + self.failures) / self.actions - self.value**2) / self.actions


class _Course:
    """The steps of a session as sums, so that any stretch costs the same."""

    def __init__(self, digest: Digest, calls: Sequence[Invocation]) -> None:
        self.times = [step.at_s for step in digest.steps]
        self.size = len(self.times)
        self._clock = list(accumulate((at_s or 0 for at_s in self.times), max))
        published = {publication.at for publication in digest.publications}
        failed = {failure.at for failure in failures_of(digest) if failure.failure not in _NO_FAILURES}
        edits = (step.has_changed or at in published for at, step in enumerate(digest.steps))
        self._edits = list(accumulate(edits, initial=0))
        self._failures = list(accumulate((at in failed for at in range(self.size)), initial=0))
        self._prompts = list(accumulate(self._after_prompts(digest), initial=0))
        self.moments = [self.following(call.at, call.next_step) for call in calls]
        covered = bytearray(self.size)
        for call, moment in zip(calls, self.moments, strict=True):
            covered[call.at : moment.end] = b"\1" * (moment.end - call.at)
        self.covered = list(accumulate(covered, initial=0))

    def _after_prompts(self, digest: Digest) -> Iterator[bool]:
        prompted = {0, *positions(digest, digest.prompts), *positions(digest, digest.called)}
        return (at in prompted for at in range(self.size))

    def tally(self, stretch: _Stretch) -> _Tally:
        begin, end = stretch
        edits = self._edits[end] - self._edits[begin]
        return _Tally(end - begin, edits, self._failures[end] - self._failures[begin])

    def ordinary(self) -> _Tally:
        """All actions outside of what follows skills."""
        whole = self.tally(_Stretch(0, self.size))
        begin = 0
        for moment in self.moments:  # in order; they may overlap
            if moment.end > begin:
                whole = whole.without(self.tally(_Stretch(max(begin, moment.begin), moment.end)))
                begin = moment.end
        return whole

    def phase(self, at: int) -> int:
        """What stands before an action, and how far it is into the session."""
        return min(at.bit_length(), _FARTHEST) * _STATES + self._state(at)

    def _state(self, at: int) -> int:
        if self._failures[at] > self._failures[max(0, at - _RECENT)]:
            return _JUST_FAILED if self._failures[at] > self._failures[at - 1] else _FAILED
        until = min(at + 1, self.size)
        if self._prompts[until] > self._prompts[max(0, until - _RECENT)]:
            return _PROMPTED
        return _CHANGED if self._edits[at] else _UNCHANGED

    def reach(self, at: int) -> int:
        """The end of the five minutes after a step, however many actions that is; 0 where it has no time."""
        is_timed = at < self.size and self.times[at] is not None
        return bisect_right(self._clock, self._clock[at] + SECONDS) if is_timed else 0

    def following(self, at: int, begin: int) -> _Stretch:
        """The moment that follows the action there and begins with this one. What has no time is in time."""
        if at >= self.size:
            return _Stretch(self.size, self.size)
        last = min(begin + ACTIONS, self.size)
        return _Stretch(begin, bisect_right(self._clock, self._clock[at] + SECONDS, begin, last))


def skill_session(digest: Digest) -> SkillSession | None:
    """What a session shows; None where nothing was done in it."""
    if not digest.steps:
        return None
    calls = invocations(digest)
    course = _Course(digest, calls)
    rest = course.ordinary()
    return SkillSession(
        task_type=digest.task_type,
        outcome=digest.verdict.outcome,
        uses=tuple(_uses(course, calls, rest)),
        phases=tuple(_phases(course, rest)),
    )


def session_value(digest: Digest) -> float | None:
    """The value of a whole session; None where nothing was done in it."""
    course = _Course(digest, ())
    return course.tally(_Stretch(0, course.size)).value if course.size else None


def _uses(course: _Course, calls: Sequence[Invocation], rest: _Tally) -> Iterator[SkillUse]:
    for call, next_at, moment in zip(calls, _next_uses(calls), course.moments, strict=True):
        tally = course.tally(moment)
        yield SkillUse(
            name=call.name,
            version=call.version,
            at=call.at,
            at_s=course.times[call.at] if call.at < course.size else None,
            phase=course.phase(call.at),
            actions=tally.actions,
            edits=tally.edits,
            failures=tally.failures,
            is_again=next_at is not None and next_at < max(moment.end, course.reach(call.at)),
            level=_scaled(rest.value) if tally.actions and rest.actions >= _LEAST_REST else None,
        )


def _next_uses(calls: Sequence[Invocation]) -> list[int | None]:
    """For each use, the step of the next one of the same skill."""
    later: dict[str, int] = {}
    steps: list[int | None] = []
    for call in reversed(calls):
        steps.append(later.get(call.name))
        later[call.name] = call.at
    return steps[::-1]


def _phases(course: _Course, rest: _Tally) -> Iterator[PhaseMoments]:
    moments: dict[int, list[tuple[float, float, float]]] = {}
    for at in (*range(min(_DENSE, course.size)), *range(_DENSE, course.size, _STRIDE)):
        stretch = course.following(at, at + 1)
        if not stretch.size or course.covered[stretch.end] > course.covered[at]:
            continue
        tally = course.tally(stretch)
        others = rest.without(tally)
        if others.actions >= _LEAST_REST:
            moments.setdefault(course.phase(at), []).append((tally.value, others.value, others.noise))
    for phase, values in sorted(moments.items()):
        yield PhaseMoments(phase, *(_scaled(sum(column) / len(values)) for column in zip(*values, strict=True)))


def _scaled(value: float) -> int:
    return round(value * SCALE)
