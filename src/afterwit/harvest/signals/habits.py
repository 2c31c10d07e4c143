"""What sessions do over and over, as signals: waste without a failure, checks before a commit, and words of correction.

Waste is what the log itself shows to be needless: a file that is read many times and hardly changed, a command that
failed and is given again as it was, with nothing changed in between. A success is a check that passed after the last
change and before a commit, and the order of several such checks.
"""

from collections.abc import Iterator

from afterwit.guard.plain_names import is_plain_path
from afterwit.harvest.commands.invocations import CommandRun, command_at, excerpt_of, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import unique
from afterwit.harvest.signals.signal import Occurrence, SignalKind, Subject
from afterwit.harvest.wording import quoted
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, FailureClass, NoteKind

_FEWEST_READS = 5
_MOST_CHANGES = 1
_FEWEST_IN_ORDER = 3  # two are no procedure: each of them is told by itself
_MOST_IN_ORDER = 5
_CHECKS = (Purpose.TEST, Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.BUILD)
_QUESTION = ("?", "？")  # asks, and leaves the session to answer
_WAITING = (FailureClass.TRANSIENT, FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER)


def habits(digest: Digest) -> Iterator[Occurrence]:
    yield from _read_again(digest)
    yield from _tried_unchanged(digest)
    yield from _checked_commits(digest)
    yield from _corrected(digest)


def _read_again(digest: Digest) -> Iterator[Occurrence]:
    for file in digest.files if digest.repo else ():
        is_below = not file.path.startswith(("/", "~", "..")) and is_plain_path(file.path)
        if is_below and file.reads >= _FEWEST_READS and file.changes <= _MOST_CHANGES:
            subject = Subject(SignalKind.READ_AGAIN, (digest.repo, file.path))
            excerpt = f"{file.path}: read {file.reads} times, changed {file.changes} times"
            yield Occurrence(subject, at=None, excerpt=excerpt, actions=file.reads - 1, times=file.reads)


def _tried_unchanged(digest: Digest) -> Iterator[Occurrence]:
    """A command line that failed and was given again, letter by letter, before anything else was run or changed."""
    waits = {failure.at for failure in digest.failures if failure.failure in _WAITING}
    last = ""
    for at, step in enumerate(digest.steps):
        line = command_at(digest.steps, at) if step.started_by is None else ""
        if not step.has_failed or at in waits or not line:
            last = last if step.kind in (ActionKind.READ, ActionKind.SEARCH, ActionKind.PLAN) else ""
            continue
        if line == last:
            yield Occurrence(Subject(SignalKind.TRIED_UNCHANGED), at, excerpt_of(step), actions=1, is_failure=True)
        last = line


def _checked_commits(digest: Digest) -> Iterator[Occurrence]:
    """The checks that passed between the last change and a commit, each once in a session, and their order."""
    commits = [told.at for told in digest.publications if told.kind is NoteKind.COMMIT]
    if not digest.repo or not commits:
        return
    runs = [run for run in runs_in(digest) if run.passed and run.purpose in _CHECKS and _is_fit(run)]
    orders = unique((_before(digest, runs, commit) for commit in commits), lambda order: order)
    lines: dict[str, int] = {}
    for order in orders:
        for run in order:
            lines.setdefault(run.line, run.at)
        names = tuple(run.line for run in order)
        if _FEWEST_IN_ORDER <= len(names) <= _MOST_IN_ORDER:
            subject = Subject(SignalKind.CHECKS_IN_ORDER, (digest.repo, *names))
            yield Occurrence(subject, order[0].at, " → ".join((*names, "git commit")))
    for line, at in lines.items():
        yield Occurrence(Subject(SignalKind.CHECKED_COMMIT, (digest.repo, line)), at, f"{line} → git commit")


def _before(digest: Digest, runs: list[CommandRun], commit: int) -> tuple[CommandRun, ...]:
    last = max((at for at in range(commit) if digest.steps[at].has_changed), default=-1)
    return tuple(unique((run for run in runs if last < run.at <= commit), lambda run: run.line))


def _is_fit(run: CommandRun) -> bool:
    return not run.form.is_part and bool(quoted(run.line)) and is_tellable(run.line)


def _corrected(digest: Digest) -> Iterator[Occurrence]:
    for position in digest.corrections if digest.repo else ():
        said = digest.prompts[position]
        if said.text.rstrip().endswith(_QUESTION):
            continue
        yield Occurrence(Subject(SignalKind.CORRECTED, (digest.repo,)), at=None, excerpt=said.text, at_ms=said.at_ms)
