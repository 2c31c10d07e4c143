"""Scheme `points`: how worthwhile a session looks by plain counts, each worth a few points.

Computed from the facts of the whole session, so that any full parse of the same logs comes to the same score. Messages
are what people typed and what the agent answered; calls are tool calls; records that were copied from another session
count there. Reads no clock and no store: the caller brings the facts, the present time, and which sessions are the
first of their repository.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

_DAY_MS = 86_400_000
_UNKNOWN = 1
_OUTCOMES: Mapping[str, int] = {"failure": 3, "success": 2, "partial": 2, "abandoned": 1}
_NO_TIME = 1 << 62


class Name(NamedTuple):
    """What tells a session from all others."""

    agent: str
    native_id: str


class PointFacts(NamedTuple):
    """What the scheme looks at in one session."""

    agent: str
    native_id: str
    repo: str  # "": none
    started_ms: int | None
    ended_ms: int | None
    messages: int
    calls: int
    outcome: str  # "": not known

    @property
    def name(self) -> "Name":
        return Name(self.agent, self.native_id)


class Points(NamedTuple):
    """The score of one session, item by item."""

    recency: int
    messages: int
    repo: int
    outcome: int
    calls: int

    @property
    def total(self) -> int:
        return sum(self)


def points_of(facts: PointFacts, *, is_first: bool, now_ms: int) -> Points:
    """The points of one session. `is_first`: no session of its repository began before it."""
    return Points(
        recency=_recency(facts, now_ms),
        messages=3 if facts.messages > 50 else 2 if facts.messages > 20 else 1,
        repo=0 if not facts.repo else 5 if is_first else 1,
        outcome=_OUTCOMES.get(facts.outcome, _UNKNOWN),
        calls=2 if facts.calls > 10 else 0,
    )


def firsts(sessions: Iterable[PointFacts]) -> frozenset[Name]:
    """The session of each repository that began first. One without a time comes after those with one; of two that
    began in the same instant the one with the smaller id is first."""
    first: dict[str, PointFacts] = {}
    for facts in sessions:
        before = first.get(facts.repo)
        if facts.repo and (before is None or _order(facts) < _order(before)):
            first[facts.repo] = facts
    return frozenset(facts.name for facts in first.values())


def _order(facts: PointFacts) -> tuple[int, str, str]:
    return _NO_TIME if facts.started_ms is None else facts.started_ms, facts.native_id, facts.agent


def _recency(facts: PointFacts, now_ms: int) -> int:
    """By the last thing that happened in it. A session without any time counts as old."""
    last = facts.started_ms if facts.ended_ms is None else facts.ended_ms
    if last is None:
        return 1
    age_ms = now_ms - last
    return 3 if age_ms <= 7 * _DAY_MS else 2 if age_ms <= 30 * _DAY_MS else 1
