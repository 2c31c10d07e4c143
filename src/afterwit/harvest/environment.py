"""What a machine or the set-up of a repository lacks, and what is used instead.

Programs and modules that are not found, with the words that reached them (`uv run`, `python -m`) or the command that
installed them. Where nothing was found that helps, nothing is known. Worded for the case that it happens, because
another machine may have what this one lacks. Where the same person's sessions ran the program plainly, that speaks
against it. A failure counts by its signature only if that names what is missing: others are the noise of a shell. The
program itself is a trigger too, where nobody's session in the repository ran it plainly: only then is it told before it
fails.
"""

from collections.abc import Iterable, Iterator, Sequence

from afterwit.actions.shell.command_changes import ARROW, bare, bare_commands, is_general
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import MODULE_RUNNERS, Weight, names
from afterwit.actions.steps import command_of
from afterwit.harvest.commands.power import power_of
from afterwit.harvest.harvester import (
    Grouped,
    by_repo,
    commonest,
    commonest_signatures,
    failures_of,
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
    regex(r"(?m)(?:^|[\s:])([\w.+-]{1,40}): (?:command )?not found\s*$"),
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


class Lacked(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was not there, and what helped; or that it was there after all."""

    signature: str = ""
    instead: str = ""  # the words that reach a missing program
    install: str = ""  # the command that brought it
    worked: bool = False

    @property
    def is_telling(self) -> bool:
        return not self.worked


class Environment:
    name = "environment"
    version = 6
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
        if len(repos) > 1 and len({_way_out(same) for same in repos.values()}) == 1:
            repos = {EVERYWHERE: [sighting for same in repos.values() for sighting in same]}
        for scope, same in repos.items():
            yield from _draft(group, scope, same, worked)


def _lacks(digest: Digest) -> Iterator[Grouped[Lacked]]:
    for failure in failures_of(digest):
        error = digest.steps[failure.at].error
        if failure.failure is FailureClass.ENVIRONMENT and command_of(digest.steps, failure.at):
            name = next((match[1] for form in _ABSENT if (match := form.search(error))), "")
            if name and is_plain_name(name):
                yield Grouped(name, _absent(digest, failure, name))


def _absent(digest: Digest, failure: Failure, name: str) -> Lacked:
    instead = install = ""
    for at in range(failure.at + 1, min(failure.at + 1 + _REACH, len(digest.steps))):
        line = command_of(digest.steps, at)
        if not line or not digest.steps[at].may_have_worked:
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
    failed, fixed = (_words(command_of(digest.steps, at)) for at in (failure.at, failure.by))
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
        line = command_of(digest.steps, at) if step.has_worked else ""
        commands = bare_commands(line) if line else ()
        program, main = commands[0].texts[0] if commands else "", parsed(line).main
        does_work = main is not None and main.weight is Weight.WORKS and main.program == program
        if program in _TOOLCHAIN or (does_work and _is_program(program)):
            programs[program] = None
    for program in list(programs)[:_MOST_PROGRAMS]:
        yield Grouped(program, Lacked(worked=True))


def _way_out(same: Sequence[Sighting[Lacked]]) -> tuple[str, str]:
    """The words that reach the program, and the command that brings it, by most stories."""
    instead, install = (
        commonest(story_counts((getattr(seen, field), session.story) for session, seen in same))
        for field in ("instead", "install")
    )
    return instead, install


def _draft(
    name: str, scope: Scope, same: Sequence[Sighting[Lacked]], worked: Sequence[Sighting[Lacked]]
) -> Iterator[Draft]:
    (instead, install), shown = _way_out(same), quote(name)
    if instead:
        words, advice = f"When {shown} is not found here, call {quote(f'{instead} …')}.", f"{name}{ARROW}{instead}"
    elif install:
        words, advice = f"{shown} is missing in a fresh checkout: run {quote(install)} first.", install
    else:
        return
    machines, stories = {_machine(lack) for lack in same}, stories_in(same)
    others = [run for run in in_order(worked) if run.session.story not in stories]
    signatures = commonest_signatures(lack.seen.signature for lack in same)
    triggers = [Trigger(signature=signature) for signature in signatures if name in signature]
    has_run = any(run.session.repo == scope.name for run in others)
    if triggers and instead and scope.kind is ScopeKind.REPO and not has_run:
        triggers.append(Trigger(program=name))
    yield Draft(
        harvester=Environment.name,
        key=(name,),
        scope=scope,
        category=Category.FACT,
        sentence=sentence(words),
        channel=Channel.OUTCOME,
        triggers=tuple(triggers),
        advice=advice,
        evidence=outcomes(same, (run for run in others if _machine(run) in machines)),
    )


def _machine(sighting: Sighting[Lacked]) -> tuple[str, str, str]:
    return sighting.session.repo, sighting.session.user, sighting.session.machine
