"""What a signal is, and what it is about.

The subject is the whole identity of a pattern: its kind and the few names without which it could not be said. It holds
nothing of the moment, of the agent or of its wording, so that sessions of different agents meet under one subject.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from afterwit.model.digest import Digest
from afterwit.model.knowledge import EXCERPT_LIMIT, Seen

_MOST_ACTIONS = 10  # that one mishap is charged with: what lies further off had other reasons


class SignalKind(StrEnum):
    """What kind of thing recurs. The values are part of ids. What has no name to say is a commonplace, and no kind."""

    WORD_UNKNOWN = "word-unknown"  # program, what it is, the word
    NAME_UNKNOWN = "name-unknown"  # what it is, the name
    PROGRAM_MISSING = "program-missing"  # program
    NOT_PERMITTED = "not-permitted"  # command
    COMMIT_REFUSED = "commit-refused"  # repository, step
    LEFT_FAILING = "left-failing"  # repository, command
    COMMAND_TURNED_DOWN = "command-turned-down"  # command
    CHECKED_COMMIT = "checked-commit"  # repository, command
    CHECKS_IN_ORDER = "checks-in-order"  # repository, commands


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


class Occurrence(NamedTuple):
    """A subject at one moment of a session."""

    subject: Subject
    at: int
    excerpt: str
    actions: int = 0
    is_failure: bool = False
    is_mended: bool = False


def summed(digest: Digest, occurrences: Iterable[Occurrence]) -> dict[Subject, Signal]:
    """One signal for each subject, with the place where it came up first."""
    per_action = digest.measures.tokens // max(1, len(digest.steps))
    signals: dict[Subject, Signal] = {}
    for occurrence in occurrences:
        before = signals.get(occurrence.subject) or Signal(
            at=occurrence.at,
            at_ms=_moment(digest, occurrence.at),
            excerpt=occurrence.excerpt[:EXCERPT_LIMIT],
            times=0,
        )
        actions = min(occurrence.actions, _MOST_ACTIONS)
        signals[occurrence.subject] = Signal(
            at=before.at,
            at_ms=before.at_ms,
            excerpt=before.excerpt,
            times=before.times + 1,
            failures=before.failures + occurrence.is_failure,
            actions=before.actions + actions,
            tokens=before.tokens + actions * per_action,
            mended=before.mended + occurrence.is_mended,
        )
    return signals


def _moment(digest: Digest, at: int) -> int | None:
    seconds = digest.steps[at].at_s
    return digest.started_ms + seconds * 1000 if digest.started_ms is not None and seconds is not None else None
