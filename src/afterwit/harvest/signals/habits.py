"""What sessions do well over and over, as signals: the checks that pass before a commit, and their order."""

from collections.abc import Iterator

from afterwit.harvest.commands.invocations import CommandRun, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import unique
from afterwit.harvest.signals.signal import Occurrence, SignalKind, Subject
from afterwit.harvest.wording import quoted
from afterwit.model.digest import Digest
from afterwit.model.kinds import NoteKind

_FEWEST_IN_ORDER = 3  # two are no procedure: each of them is told by itself
_MOST_IN_ORDER = 5
_CHECKS = (Purpose.TEST, Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.BUILD)


def habits(digest: Digest) -> Iterator[Occurrence]:
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
