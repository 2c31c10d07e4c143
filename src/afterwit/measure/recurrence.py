"""Whether errors come back: how often a failure that a note is about happens, by weeks since the note was learned.

Counted are notes that name failures or rules, in the sessions of the place where they hold: in how many of them the
error happened at all, and how many times. Week 0 begins when the note had all that it takes to be used; the weeks
before are negative, and the session that it was learned from belongs to them. A note is learned in the middle of the
work that its error belongs to, so the weeks around that moment are unlike others in either direction, told or not. Only
what is skipped on purpose, to compare, shows what telling does.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.measure.told_notes import SessionKey, key_of
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import Item, Scope, ScopeKind

WEEK_MS = 7 * 86_400_000
FIRST_WEEK = -8
LAST_WEEK = 12  # and all that follow
_ROUNDS = 1000
_SEED = 84  # the same interval for the same rows


class ErrorWeek(NamedTuple):
    """One note in one week: the sessions in which its error could happen, and those in which it did."""

    item: str
    week: int
    sessions: int
    told: int  # of the sessions, those that were told the note
    came_in: int  # sessions
    times: int


class ErrorSeen(NamedTuple):
    """An error that a note is about, in a session."""

    at_ms: int
    session: str
    agent: str
    item: str
    week: int
    times: int


class WeekRate(msgspec.Struct, frozen=True, kw_only=True):
    """All notes together, in one week since each was learned."""

    week: int
    notes: int
    sessions: int  # pairs of a note and a session where it holds
    came_in: int
    share: float | None
    interval: tuple[float, float]


class Reduction(msgspec.Struct, frozen=True, kw_only=True):
    """Errors per 100 sessions, in the weeks before notes were learned and in those after."""

    notes: int  # that have sessions on both sides
    sessions_before: int
    sessions_after: int
    told_after: int
    before: float | None
    after: float | None
    change: float | None  # after less before
    interval: tuple[float, float] | None  # of the change, 95 %, drawn by note


class Recurrence(msgspec.Struct, frozen=True, kw_only=True):
    notes: int  # that name a failure or a rule, and were learned
    weeks: list[WeekRate]
    reduction: Reduction


class _Watched(NamedTuple):
    """What is counted of a note."""

    item: Item
    learned_ms: int
    signatures: frozenset[str]
    rules: frozenset[str]


class RecurrenceTally:
    """Counts the errors of all notes, session by session. Memory grows with notes and weeks, not with sessions."""

    def __init__(
        self, items: Iterable[Item], gained: Mapping[str, int], told: Mapping[SessionKey, frozenset[str]]
    ) -> None:
        self._by_scope: defaultdict[Scope, list[_Watched]] = defaultdict(list)
        for watched in _watch(items, gained):
            self._by_scope[watched.item.scope].append(watched)
        self._told = told
        self._sessions: Counter[tuple[str, int]] = Counter()
        self._told_in: Counter[tuple[str, int]] = Counter()
        self.seen: list[ErrorSeen] = []

    def take(self, digest: Digest) -> None:
        if digest.started_ms is None or not digest.steps:
            return
        signatures = Counter(failure.signature for failure in digest.failures)
        rules = Counter(rule for rule, _ in {(rule.id, rule.at) for rule in digest.rules})
        told = self._told.get(key_of(digest), frozenset())
        for watched in self._notes_for(digest):
            name, week = watched.item.id, (digest.started_ms - watched.learned_ms - 1) // WEEK_MS
            if week < FIRST_WEEK:
                continue
            week = min(week, LAST_WEEK)
            self._sessions[name, week] += 1
            self._told_in[name, week] += name in told
            times = sum(signatures[sign] for sign in watched.signatures) + sum(rules[rule] for rule in watched.rules)
            if times:
                self.seen.append(ErrorSeen(digest.started_ms, digest.native_id, digest.agent, name, week, times))

    def _notes_for(self, digest: Digest) -> Iterator[_Watched]:
        scopes = (Scope(ScopeKind.REPO, digest.repo), Scope(ScopeKind.AGENT, digest.agent), Scope(ScopeKind.GLOBAL))
        for scope in scopes:
            for watched in self._by_scope.get(scope, ()):
                if not watched.item.agents or digest.agent in watched.item.agents:
                    yield watched

    def rows(self) -> list[ErrorWeek]:
        came_in = Counter((error.item, error.week) for error in self.seen)
        times: Counter[tuple[str, int]] = Counter()
        for error in self.seen:
            times[error.item, error.week] += error.times
        return [
            ErrorWeek(item, week, sessions, self._told_in[item, week], came_in[item, week], times[item, week])
            for (item, week), sessions in sorted(self._sessions.items())
        ]


def _watch(items: Iterable[Item], gained: Mapping[str, int]) -> Iterator[_Watched]:
    for item in items:
        signatures = frozenset(filter(None, (trigger.signature for trigger in item.triggers)))
        rules = frozenset(filter(None, (trigger.rule for trigger in item.triggers)))
        if item.id in gained and (signatures or rules):
            yield _Watched(item, gained[item.id], signatures, rules)


def recurrence(rows: Sequence[ErrorWeek]) -> Recurrence:
    by_week: defaultdict[int, list[ErrorWeek]] = defaultdict(list)
    for row in rows:
        by_week[row.week].append(row)
    return Recurrence(
        notes=len({row.item for row in rows}),
        weeks=[_week(week, group) for week, group in sorted(by_week.items())],
        reduction=reduction(rows),
    )


def _week(week: int, rows: Sequence[ErrorWeek]) -> WeekRate:
    share = Proportion(sum(row.came_in for row in rows), sum(row.sessions for row in rows))
    return WeekRate(
        week=week,
        notes=len(rows),
        sessions=share.of,
        came_in=share.hits,
        share=share.share,
        interval=share.interval,
    )


class _Sides(NamedTuple):
    """One note before and after."""

    sessions_before: int
    times_before: int
    sessions_after: int
    times_after: int
    told_after: int


def reduction(rows: Iterable[ErrorWeek]) -> Reduction:
    """Of the notes that have sessions on both sides, so that the same notes and repositories are compared."""
    by_item: defaultdict[str, list[ErrorWeek]] = defaultdict(list)
    for row in rows:
        by_item[row.item].append(row)
    sides = [both for group in by_item.values() if (both := _sides(group)).sessions_before and both.sessions_after]
    if not sides:
        return Reduction(
            notes=0,
            sessions_before=0,
            sessions_after=0,
            told_after=0,
            before=None,
            after=None,
            change=None,
            interval=None,
        )
    before, after = _rates(sides)
    return Reduction(
        notes=len(sides),
        sessions_before=sum(both.sessions_before for both in sides),
        sessions_after=sum(both.sessions_after for both in sides),
        told_after=sum(both.told_after for both in sides),
        before=before,
        after=after,
        change=after - before,
        interval=_interval(sides, random.Random(_SEED)) if len(sides) > 1 else None,  # noqa: S311
    )


def _sides(rows: Iterable[ErrorWeek]) -> _Sides:
    before, after = [row for row in rows if row.week < 0], [row for row in rows if row.week >= 0]
    return _Sides(
        sum(row.sessions for row in before),
        sum(row.times for row in before),
        sum(row.sessions for row in after),
        sum(row.times for row in after),
        sum(row.told for row in after),
    )


def _rates(sides: Sequence[_Sides]) -> tuple[float, float]:
    before = 100 * sum(both.times_before for both in sides) / sum(both.sessions_before for both in sides)
    return before, 100 * sum(both.times_after for both in sides) / sum(both.sessions_after for both in sides)


def _interval(sides: Sequence[_Sides], rng: random.Random) -> tuple[float, float]:
    drawn = (_rates(rng.choices(sides, k=len(sides))) for _ in range(_ROUNDS))
    changes = sorted(after - before for before, after in drawn)
    return changes[int(_ROUNDS * 0.025)], changes[int(_ROUNDS * 0.975)]
