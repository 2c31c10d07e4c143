"""Signals of patterns: what in one session others may have met, too, under a name that is the same for all agents.

They are kept beside the sightings of harvesters, and nothing is concluded from them there: `detect` looks at all of
them. Of failures, taken is what a later session could do otherwise: tests, lint and compilers that report what is being
written are the work itself, and count where a session ends with them, or where a commit was refused because of them.
Failures that pass by themselves, were cancelled or are an answer are left out, and so is every message that has no name
to say. Of what goes well, taken are the checks that pass before a commit.

The subject is the whole identity of a pattern: its kind and the few names without which it could not be said. It holds
nothing of the moment, of the agent or of its wording, so that sessions of different agents meet under one subject.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from afterwit.actions.failures.signature import template
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import command_of
from afterwit.harvest.commands.invocations import CommandRun, excerpt_of, runs_in, work_of
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose, purpose_of
from afterwit.harvest.harvester import Grouped, quote, unique
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass, NoteKind, ResolutionKind, Step
from afterwit.model.knowledge import EXCERPT_LIMIT, Seen
from afterwit.model.text import regex
from afterwit.redaction.hygiene import danger_in, reads_like_an_order
from afterwit.redaction.plain_names import is_plain_name, is_plain_path, reads_like_a_sentence

_MOST_ACTIONS = 10  # that one mishap is charged with: what lies further off had other reasons
_PASSING = (FailureClass.CANCELLED, FailureClass.ANSWER, FailureClass.TRANSIENT)
_PUBLISHING = ("commit", "push")
_BY_PERSON = regex(r"(?i)user (?:doesn't want|does not want|rejected|denied|declined)|rejected by (?:the )?user")
_UNKNOWN_WORD = regex(
    r"(?i)"
    r"(?:unrecognized|unknown|invalid|no such|unexpected)\s+(?P<what>subcommand|command|option|flag|argument|switch)"
    r"s?:?\s+['\"`]*(?P<word>-{0,2}[\w][\w:.-]{0,40})",
)
_UNKNOWN_NAME = regex(
    r"(?i)\b(?:unknown|no such|invalid)\s+(?P<what>skill|agent type|subagent type|MCP server)\b:?\s+"
    r"['\"`\\]*(?P<name>[\w:.@/-]{2,60})",
)
# What agents' own tools say where a change does not fit the file as it is, each in its own words.
_MISSED = regex(
    r"(?i)not found in (?:the )?file|failed to find (?:expected lines|context)|modified since (?:it was )?read"
    r"|unexpectedly modified|could not find (?:a match|the string|old_string)|matches of the string|\b0 occurrences"
)
_TOO_LONG = regex(r"(?i)exceeds? (?:the )?maximum (?:allowed )?(?:tokens|size)|file (?:is )?too (?:large|long)")
_OF_MOMENT = regex(r"(?<![\w<])<[\w-]+>(?!\w)")  # what a signature masks; within a word it is part of a name
_DOMAIN = regex(r"://|\w\.(?:com|net|org|io|dev|sh)\b")
_SEVERITY = regex(r"(?i)^(?:(?:\[\w+\]|error:|fatal:)\s*)+")
_LONGEST_MESSAGE = 60
_ASKED = frozenset(("option", "flag", "switch"))
_CHECKS = (Purpose.TEST, Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.BUILD)


class SignalKind(StrEnum):
    """What kind of thing recurs. The values are part of ids. What has no name to say is a commonplace, and no kind."""

    WORD_UNKNOWN = "word-unknown"  # program, what it is, the word
    NAME_UNKNOWN = "name-unknown"  # what it is, the name
    NOTE = "note"  # its id: what a note says is said in its words
    NOT_PERMITTED = "not-permitted"  # command
    COMMIT_REFUSED = "commit-refused"  # repository, step, rule
    COMMIT_FAILS = "commit-fails"  # repository, step, message
    EDITS_MISSED = "edits-missed"  # repository, file
    READ_WHOLE = "read-whole"  # repository, file
    LEFT_FAILING = "left-failing"  # repository, command
    COMMAND_TURNED_DOWN = "command-turned-down"  # command
    CHECKED_COMMIT = "checked-commit"  # repository, command


_KINDS = frozenset(SignalKind)


class Subject(NamedTuple):
    """What a pattern is about."""

    kind: SignalKind
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self.kind, *self.names))


def subject_from(text: str) -> Subject | None:
    """The subject that was written so; None where another version knew more kinds."""
    kind, *names = text.split("\n")
    return Subject(SignalKind(kind), tuple(names)) if kind in _KINDS else None


class Signal(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """What one session shows of a subject, however often."""

    times: int = 1
    failures: int = 0
    actions: int = 0  # that it took
    tokens: int = 0  # the share of these actions in what the session took
    mended: int = 0  # how many of the failures were made good
    how: str = ""  # what made the last of them good


class Occurrence(NamedTuple):
    """A subject at one moment of a session."""

    subject: Subject
    at: int
    excerpt: str
    actions: int = 0
    is_failure: bool = False
    how: ResolutionKind = ResolutionKind.UNRESOLVED


def summed(digest: Digest, occurrences: Iterable[Occurrence]) -> dict[Subject, Signal]:
    """One signal for each subject, with the place where it came up first."""
    per_action = digest.measures.tokens // max(1, len(digest.steps))
    by_subject: dict[Subject, list[Occurrence]] = {}
    for occurrence in occurrences:
        by_subject.setdefault(occurrence.subject, []).append(occurrence)
    signals = {}
    for subject, same in by_subject.items():
        actions = sum(min(occurrence.actions, _MOST_ACTIONS) for occurrence in same)
        signals[subject] = Signal(
            at=same[0].at,
            at_ms=_moment(digest, same[0].at),
            excerpt=same[0].excerpt[:EXCERPT_LIMIT],
            times=len(same),
            failures=sum(occurrence.is_failure for occurrence in same),
            actions=actions,
            tokens=actions * per_action,
            mended=sum(occurrence.how is not ResolutionKind.UNRESOLVED for occurrence in same),
            how=same[-1].how,
        )
    return signals


def _moment(digest: Digest, at: int) -> int | None:
    seconds = digest.steps[at].at_s
    return digest.started_ms + seconds * 1000 if digest.started_ms is not None and seconds is not None else None


def mishaps(digest: Digest) -> Iterator[Occurrence]:
    """Every failure of a session that can be said, once for each time."""
    for failure in digest.failures:
        for subject in _subjects(digest, failure):
            yield Occurrence(
                subject,
                at=failure.at,
                excerpt=_excerpt(digest.steps[failure.at]),
                actions=1 if failure.by is None else failure.by - failure.at,
                is_failure=True,
                how=failure.resolution,
            )


def _excerpt(step: Step) -> str:
    """What was called and what came of it; of what a person turned down, the words of that person."""
    return excerpt_of(step._replace(error=step.said) if step.said else step).removeprefix(" → ")


def _subjects(digest: Digest, failure: Failure) -> Iterator[Subject]:
    if failure.failure in _PASSING:
        return
    if failure.failure is FailureClass.DENIED:
        subjects = [_turned_down(digest, failure.at)]
    elif failure.failure is FailureClass.WORK:
        subjects = [*_refused(digest, failure)] or [_left(digest, failure)]
    else:
        whole = _unknown(digest, failure) or _not_permitted(digest, failure) or _of_file(digest, failure)
        subjects = [whole] if whole else [*_refused(digest, failure)]
    yield from filter(None, subjects)


def _turned_down(digest: Digest, at: int) -> Subject | None:
    command = _command(digest, at) if _BY_PERSON.search(digest.steps[at].error) else ""
    return Subject(SignalKind.COMMAND_TURNED_DOWN, (command,)) if command else None


def _refused(digest: Digest, failure: Failure) -> Iterator[Subject]:
    """What a commit or push was refused for: the rules, else the one line that names nothing of the moment."""
    step = _is_publishing(digest, failure.at)
    if not step or not digest.repo:
        return
    rules = [rule.id for rule in digest.rules if rule.at == failure.at and is_plain_name(rule.id)]
    for rule in dict.fromkeys(rules):
        yield Subject(SignalKind.COMMIT_REFUSED, (digest.repo, step, rule))
    message = "" if rules else _message(digest.steps[failure.at].error, failure.signature)
    if message:
        yield Subject(SignalKind.COMMIT_FAILS, (digest.repo, step, message))


def _is_publishing(digest: Digest, at: int) -> str:
    """The step of git that gives work out of hand; "" where a line has none."""
    commands = parsed(command_of(digest.steps, at)).commands
    steps = (command.subcommand.partition(" ")[0] for command in commands if command.program == "git")
    return next((word for word in steps if word in _PUBLISHING), "")


def _message(error: str, signed: str) -> str:
    """The line of an error that its signature is made of, where it can be shown."""
    masked = signed.partition(": ")[2]
    if not masked or _OF_MOMENT.search(masked):
        return ""
    line = next((line for line in error.splitlines() if masked in template(line.strip())), "")
    line = _SEVERITY.sub("", line.strip().rstrip(":"))
    is_fit = 0 < len(line) <= _LONGEST_MESSAGE and not reads_like_a_sentence(line) and not reads_like_an_order(line)
    return line if is_fit and not danger_in(line) and not _DOMAIN.search(line) else ""


def _left(digest: Digest, failure: Failure) -> Subject | None:
    """A check that the session left failing."""
    commands = parsed(command_of(digest.steps, failure.at)).commands
    is_check = any(map(purpose_of, commands)) and not _is_publishing(digest, failure.at)
    is_left = is_check and digest.repo and _is_left(digest, failure)
    command = _command(digest, failure.at) if is_left else ""
    return Subject(SignalKind.LEFT_FAILING, (digest.repo, command)) if command else None


def _is_left(digest: Digest, failure: Failure) -> bool:
    """Whether nothing that came later can have been the end of it: no check that passed or whose end is hidden, and no
    commit. That the same command was not run again is not enough: another may have shown the same."""
    is_published = any(told.at > failure.at for told in digest.publications)
    is_checked = any(run.at > failure.at for run in runs_in(digest))
    return failure.resolution is ResolutionKind.UNRESOLVED and not is_published and not is_checked


def _unknown(digest: Digest, failure: Failure) -> Subject | None:
    """A word that a program does not know, or a name that a tool of the agent does not."""
    step = digest.steps[failure.at]
    named = _UNKNOWN_NAME.search(step.error)
    if named:
        name = named["name"].rstrip(".")
        return Subject(SignalKind.NAME_UNKNOWN, (named["what"].lower(), name)) if is_plain_name(name) else None
    head, _, message = failure.signature.partition(": ")
    match = _UNKNOWN_WORD.search(message) if step.kind is ActionKind.SHELL else None
    if match is None:
        return None
    what, word = match["what"].lower(), match["word"].rstrip(".:")
    is_fit = _is_plain(head) and is_plain_name(word.lstrip("-")) and (what not in _ASKED or word.startswith("-"))
    return Subject(SignalKind.WORD_UNKNOWN, (head, what, word)) if is_fit else None


def _not_permitted(digest: Digest, failure: Failure) -> Subject | None:
    is_refused = "operation not permitted" in digest.steps[failure.at].error.lower()
    is_of_machine = failure.failure is FailureClass.ENVIRONMENT
    command = _command(digest, failure.at) if is_refused and is_of_machine else ""
    return Subject(SignalKind.NOT_PERMITTED, (command,)) if command else None


def _of_file(digest: Digest, failure: Failure) -> Subject | None:
    """A file of the repository that a change did not fit, or that was too long to be read at once."""
    step = digest.steps[failure.at]
    if failure.failure is not FailureClass.TOOL_CONTRACT or not digest.repo:
        return None
    if step.kind in CHANGES and _MISSED.search(step.error):
        kind, path = SignalKind.EDITS_MISSED, step.files[0] if step.files else ""
    elif step.kind is ActionKind.READ and _TOO_LONG.search(step.error):
        kind, path = SignalKind.READ_WHOLE, _path_below(digest, step.target)
    else:
        return None
    is_below = path and not path.startswith(("/", "~", ".."))
    return Subject(kind, (digest.repo, path)) if is_below and is_plain_path(path) else None


def _path_below(digest: Digest, target: str) -> str:
    """The file of the repository that a call names, by the files that the session read."""
    return next((file.path for file in digest.files if f"/{target}".endswith(f"/{file.path}")), "")


def _command(digest: Digest, at: int) -> str:
    """The program behind a step and its subcommand, where they can be named."""
    command = work_of(command_of(digest.steps, at))
    return command if _is_plain(command) else ""


def _is_plain(command: str) -> bool:
    return bool(command) and all(map(is_plain_name, command.split())) and not reads_like_a_sentence(command)


def habits(digest: Digest) -> Iterator[Occurrence]:
    """The checks that passed between the last change and a commit, each once in a session."""
    commits = [told.at for told in digest.publications if told.kind is NoteKind.COMMIT]
    if not digest.repo or not commits:
        return
    runs = [run for run in runs_in(digest) if run.passed and run.purpose in _CHECKS and _is_fit(run)]
    orders = unique((_before(digest, runs, commit) for commit in commits), lambda order: order)
    lines: dict[str, int] = {}
    for order in orders:
        for run in order:
            lines.setdefault(run.line, run.at)
    for line, at in lines.items():
        yield Occurrence(Subject(SignalKind.CHECKED_COMMIT, (digest.repo, line)), at, f"{line} → git commit")


def _before(digest: Digest, runs: list[CommandRun], commit: int) -> tuple[CommandRun, ...]:
    last = max((at for at in range(commit) if digest.steps[at].has_changed), default=-1)
    return tuple(unique((run for run in runs if last < run.at <= commit), lambda run: run.line))


def _is_fit(run: CommandRun) -> bool:
    return not run.form.is_part and bool(quote(run.line)) and is_tellable(run.line)


class PatternSignals:
    name = "pattern-signals"
    version = 5

    def see(self, digest: Digest) -> Iterator[Grouped[Signal]]:
        for subject, signal in summed(digest, chain(mishaps(digest), habits(digest))).items():
            if not any("\n" in name for name in subject.names):  # which would be read as two names
                yield Grouped(str(subject), signal)
