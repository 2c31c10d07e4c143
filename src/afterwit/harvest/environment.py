"""What a machine or the set-up of a repository lacks, and what is used instead.

Programs and modules that are not found, with the words that reached them (`uv run`, `python -m`) or the command that
installed them. Where nothing was found that helps, nothing is known. Worded for the case that it happens, because
another machine may have what this one lacks. Where the same person's sessions ran the program plainly, that speaks
against it. A failure counts by its signature only if that names what is missing: others are the noise of a shell. The
program itself is a trigger too, where nobody's session in the repository ran it plainly: only then is it told before it
fails. What a sandbox refuses is left to `refusals`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.shell.command_changes import ARROW, bare, bare_commands, is_general
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import MODULE_RUNNERS, Weight, names
from afterwit.harvest.commands.invocations import command_at
from afterwit.harvest.commands.power import power_of
from afterwit.harvest.harvester import (
    Grouped,
    by_repo,
    commonest,
    commonest_signatures,
    in_order,
    outcomes,
    plain,
    quote,
    sentence,
    stories_in,
    story_counts,
    unique,
)
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import FailureClass, ResolutionKind
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.model.text import regex
from afterwit.redaction.plain_names import is_plain_name

_ABSENT = (
    regex(r"command not found: ([\w.+-]{1,40})"),
    regex(r"(?:^|[\s:])([\w.+-]{1,40}): (?:command )?not found\s*$", re.MULTILINE),
    regex(r"No module named '?([\w.-]{1,60})"),
    regex(r"exec: \"([\w.+-]{1,40})\": executable file not found"),
    regex(r"No version is set for command ([\w.+-]{1,40})"),
    regex(r"'([\w.+-]{1,40})' is not recognized as an? (?:internal|name of a cmdlet)"),
)
_INSTALLS = regex(
    r"^(?:npm|pnpm|yarn|bun|uv|pip3?|poetry|pdm|bundle|composer|cargo|go|mise|mix|gem|pixi|rye|hatch|dotnet|flutter|dart)"
    r" (?:install|ci|i|sync|get|deps\.get|mod download|restore|pub get|bootstrap)\b(?! -g)[\w .:-]{0,40}$"
)
_TOOLCHAIN = MODULE_RUNNERS | names(
    "pip pip3 pytest node npm npx pnpm yarn bun deno go cargo ruby bundle java mvn gradle php composer dotnet swift mix"
    " make docker podman kubectl gh jq yq rg tsc ruff mypy uv poetry"
)
_MOST_INSTEAD = 3  # words that take the place of a program
_REACH = 25
_MOST_PROGRAMS = 12
_TWO = 2


class Lacked(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was not there, and what helped; or that it was there after all."""

    signature: str = ""
    instead: str = ""  # the words that reach a missing program
    install: str = ""  # the command that brought it
    worked: bool = False

    @property
    def is_telling(self) -> bool:
        return not self.worked


class _Way(NamedTuple):
    instead: str  # the words that reach the program
    install: str  # the command that brings it


class Environment:
    name = "environment"
    version = 5
    minimum_stories = 2
    seen = Lacked

    def see(self, digest: Digest) -> Iterable[Grouped[Lacked]]:
        return unique(
            (*_lacks(digest), *_present(digest)),
            lambda lack: (lack.group, lack.seen.signature, lack.seen.instead, lack.seen.install),
        )

    def conclude(self, group: str, sightings: Sequence[Sighting[Lacked]]) -> Iterable[Draft]:
        lacked = [sighting for sighting in sightings if not sighting.seen.worked]
        worked = [sighting for sighting in sightings if sighting.seen.worked]
        repos = by_repo(lacked)
        ways = {scope: _way_out(same) for scope, same in repos.items()}
        if len(repos) >= _TWO and len(set(ways.values())) == 1:
            ways = {EVERYWHERE: next(iter(ways.values()))}
            repos = {EVERYWHERE: [sighting for same in repos.values() for sighting in same]}
        for scope, same in repos.items():
            if any(ways[scope]):
                yield _draft(group, scope, ways[scope], same, worked)


def _lacks(digest: Digest) -> Iterator[Grouped[Lacked]]:
    for failure in digest.failures:
        error = digest.steps[failure.at].error
        if failure.failure is FailureClass.ENVIRONMENT and command_at(digest.steps, failure.at):
            name = next((match[1] for form in _ABSENT if (match := form.search(error))), "")
            if name and is_plain_name(name):
                yield Grouped(name, _absent(digest, failure, name))


def _absent(digest: Digest, failure: Failure, name: str) -> Lacked:
    instead = install = ""
    for at in range(failure.at + 1, min(failure.at + 1 + _REACH, len(digest.steps))):
        line = command_at(digest.steps, at)
        if not line or not digest.steps[at].has_worked:
            continue
        instead = instead or _way_to(name, line)
        shown = bare(plain(line))
        if failure.resolution is ResolutionKind.PREPARED and _INSTALLS.match(shown) and not power_of(shown):
            install = install or shown
    instead = instead or _substitute_for(digest, failure, name)
    return Lacked(
        at=failure.at, excerpt=f"{name}: not found", signature=failure.signature, instead=instead, install=install
    )


def _substitute_for(digest: Digest, failure: Failure, name: str) -> str:
    """The program that did the same with the same arguments: `python3` for `python`, `docker compose` for
    `docker-compose`; "" where the session found none."""
    if failure.by is None:
        return ""
    failed, fixed = (_words(command_at(digest.steps, at)) for at in (failure.at, failure.by))
    rest = failed[1:]
    cut = len(fixed) - len(rest)
    if not failed or failed[0] != name or cut < 1 or fixed[cut:] != rest or fixed[0] == name:
        return ""
    return " ".join(fixed[:cut]) if cut <= _MOST_INSTEAD and all(map(_is_program, fixed[:cut])) else ""


def _words(line: str) -> tuple[str, ...]:
    commands = bare_commands(plain(line))
    return commands[0].texts if len(commands) == 1 else ()


def _is_program(word: str) -> bool:
    return is_general(word, is_program=True)


def _way_to(name: str, line: str) -> str:
    """The words by which a line reaches the program: `uv run python`, `python -m pytest`, `.venv/bin/pytest`."""
    for command in parsed(line).commands:
        is_wrapped = command.program == name and command.wrappers
        is_module = command.program in MODULE_RUNNERS and command.subcommand == f"-m {name}"
        texts = [word.text for word in command.words]
        at = next((at for at, word in enumerate(texts) if word.rpartition("/")[2] == name), None)
        is_elsewhere = at == 0 and texts[0] != name and not texts[0].startswith(("/", "~", "$"))
        if at is None or not (is_wrapped or is_module or is_elsewhere):
            continue
        words = texts[: at + 1]
        if all(is_general(word, is_program=True) for word in words):
            return " ".join(words)
    return ""


def _present(digest: Digest) -> Iterator[Grouped[Lacked]]:
    programs: dict[str, None] = {}
    for at, step in enumerate(digest.steps):
        line = command_at(digest.steps, at)
        if line and step.has_worked:
            commands = bare_commands(line)
            program = commands[0].texts[0] if commands else ""
            if program in _TOOLCHAIN or _does_work(program, line):
                programs[program] = None
    for program in list(programs)[:_MOST_PROGRAMS]:
        yield Grouped(program, Lacked(worked=True))


def _does_work(program: str, line: str) -> bool:
    main = parsed(line).main
    return main is not None and main.weight is Weight.WORKS and main.program == program and _is_program(program)


def _way_out(same: Sequence[Sighting[Lacked]]) -> _Way:
    """What helped in most stories."""
    return _Way(
        commonest(story_counts((seen.instead, session.story) for session, seen in same)),
        commonest(story_counts((seen.install, session.story) for session, seen in same)),
    )


def _draft(
    name: str, scope: Scope, way: _Way, same: Sequence[Sighting[Lacked]], worked: Sequence[Sighting[Lacked]]
) -> Draft:
    machines, stories = {_machine(lack) for lack in same}, stories_in(same)
    against = [run for run in in_order(worked) if _machine(run) in machines and run.session.story not in stories]
    words, advice = _advice(name, way)
    return Draft(
        harvester=Environment.name,
        key=(name,),
        scope=scope,
        category=Category.FACT,
        sentence=sentence(words),
        channel=Channel.OUTCOME,
        triggers=tuple(_triggers(name, scope, way.instead, same, is_always=not _ran_in(scope, worked, stories))),
        advice=advice,
        evidence=outcomes(same, against),
    )


def _triggers(
    name: str, scope: Scope, instead: str, same: Sequence[Sighting[Lacked]], *, is_always: bool
) -> Iterator[Trigger]:
    """The failures; and a call of the program, where it has been missing ever since and something else reaches it."""
    signatures = commonest_signatures(lack.seen.signature for lack in same)
    named = [signature for signature in signatures if name in signature]
    yield from (Trigger(signature=signature) for signature in named)
    if named and is_always and instead and scope.kind is ScopeKind.REPO:
        yield Trigger(program=name)


def _advice(name: str, way: _Way) -> tuple[str, str]:
    """What to do, in words and as an advice."""
    shown = quote(name)
    if way.instead:
        return f"When {shown} is not found here, call {quote(f'{way.instead} …')}.", f"{name}{ARROW}{way.instead}"
    return f"{shown} is missing in a fresh checkout: run {quote(way.install)} first.", way.install


def _ran_in(scope: Scope, worked: Sequence[Sighting[Lacked]], stories: Collection[str]) -> bool:
    """Whether anybody's other session in the repository ran the program plainly."""
    return any(run.session.repo == scope.name and run.session.story not in stories for run in worked)


def _machine(sighting: Sighting[Lacked]) -> tuple[str, str, str]:
    return sighting.session.repo, sighting.session.user, sighting.session.machine
