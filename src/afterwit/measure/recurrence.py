"""Whether errors come back: how often a failure that a note is about happens, by weeks since the note was learned.

Counted are notes that name failures or rules, in the sessions of the place where they hold. Week 0 begins when the note
had all that it takes to be used; the session that it was learned from belongs to the week before. A note is learned in
the middle of the work that its error belongs to, so the weeks around that moment are unlike others in either direction,
told or not. Only what is skipped on purpose, to compare, shows what telling does.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import msgspec

from afterwit.measure.told_notes import SessionKey, key_of
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import Item, Scope, ScopeKind

WEEK_MS = 7 * 86_400_000
FIRST_WEEK = -8
LAST_WEEK = 12  # and all that follow


class ErrorWeek(NamedTuple):
    """One note in one week: the sessions in which its error could happen, and those in which it did."""

    item: str
    week: int
    sessions: int
    told: int  # of the sessions, those that were told the note
    came_in: int  # sessions


class ErrorSeen(NamedTuple):
    """An error that a note is about, in a session."""

    at_ms: int
    session: str
    agent: str
    item: str
    week: int
    times: int


class WeekRate(msgspec.Struct, frozen=True, kw_only=True):
    """All notes together, in one week since each was learned, or in all weeks of one side."""

    week: int
    notes: int
    sessions: int  # pairs of a note and a session where it holds
    told: int  # of these, sessions that were told the note
    came_in: int
    share: float | None
    interval: tuple[float, float]


class Recurrence(msgspec.Struct, frozen=True, kw_only=True):
    notes: int  # that name a failure or a rule, and were learned
    weeks: list[WeekRate]
    before: WeekRate  # of the notes that have sessions on both sides
    after: WeekRate


class RecurrenceTally:
    """Counts the errors of all notes, session by session. Memory grows with notes and weeks, not with sessions."""

    def __init__(self, items: Iterable[Item], gained: Mapping[str, int], told: Mapping[SessionKey, Set[str]]) -> None:
        self._by_scope: defaultdict[Scope, list[tuple[Item, int]]] = defaultdict(list)
        for item in items:
            if item.id in gained and any(trigger.signature or trigger.rule for trigger in item.triggers):
                self._by_scope[item.scope].append((item, gained[item.id]))
        self._told = told
        self._sessions: Counter[tuple[str, int]] = Counter()
        self._told_in: Counter[tuple[str, int]] = Counter()
        self.seen: list[ErrorSeen] = []

    def take(self, digest: Digest) -> None:
        if digest.started_ms is None or not digest.steps:
            return
        errors = Counter(failure.signature for failure in digest.failures)
        errors.update(rule for rule, _ in {(rule.id, rule.at) for rule in digest.rules})
        told = self._told.get(key_of(digest), ())
        for item, learned_ms in self._notes_for(digest):
            week = min((digest.started_ms - learned_ms - 1) // WEEK_MS, LAST_WEEK)
            if week < FIRST_WEEK:
                continue
            self._sessions[item.id, week] += 1
            self._told_in[item.id, week] += item.id in told
            names = {name for trigger in item.triggers for name in (trigger.signature, trigger.rule)} - {""}
            if times := sum(errors[name] for name in names):
                self.seen.append(ErrorSeen(digest.started_ms, digest.native_id, digest.agent, item.id, week, times))

    def _notes_for(self, digest: Digest) -> Iterator[tuple[Item, int]]:
        scopes = (Scope(ScopeKind.REPO, digest.repo), Scope(ScopeKind.AGENT, digest.agent), Scope(ScopeKind.GLOBAL))
        for scope in scopes:
            for item, learned_ms in self._by_scope.get(scope, ()):
                if not item.agents or digest.agent in item.agents:
                    yield item, learned_ms

    def rows(self) -> list[ErrorWeek]:
        came_in = Counter((error.item, error.week) for error in self.seen)
        return [
            ErrorWeek(*place, sessions, self._told_in[place], came_in[place])
            for place, sessions in sorted(self._sessions.items())
        ]


def recurrence(rows: Sequence[ErrorWeek]) -> Recurrence:
    by_week: defaultdict[int, list[ErrorWeek]] = defaultdict(list)
    for row in rows:
        by_week[row.week].append(row)
    both = {row.item for row in rows if row.week < 0} & {row.item for row in rows if row.week >= 0}
    return Recurrence(
        notes=len({row.item for row in rows}),
        weeks=[_rate(week, group) for week, group in sorted(by_week.items())],
        before=_rate(-1, [row for row in rows if row.week < 0 and row.item in both]),
        after=_rate(0, [row for row in rows if row.week >= 0 and row.item in both]),
    )


def _rate(week: int, rows: Sequence[ErrorWeek]) -> WeekRate:
    share = Proportion(sum(row.came_in for row in rows), sum(row.sessions for row in rows))
    return WeekRate(
        week=week,
        notes=len({row.item for row in rows}),
        sessions=share.of,
        told=sum(row.told for row in rows),
        came_in=share.hits,
        share=share.share,
        interval=share.interval,
    )
