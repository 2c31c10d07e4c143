"""The standing figures of a report that are counted over sessions: errors that come back, how sessions go, what memory
cost.

*Recurrence* says how often a failure that a note is about happens, by weeks since the note was learned. Counted are
notes that name failures or rules, in the sessions of the place where they hold. Week 0 begins when the note had all
that it takes to be used; the session that it was learned from belongs to the week before. A note is learned in the
middle of the work that its error belongs to, so the weeks around that moment are unlike others in either direction,
told or not. Only what is skipped on purpose, to compare, shows what telling does.

*Course*: a session is completed where it ended well as far as the log shows (`digest.outcome`); one of which nobody can
tell is not counted. First try: the first run of tests, linters or a build after the first change passed. Sessions that
changed or checked nothing have none. Subagents, and sessions of which only the prompts are known, are left out.

*Cost*: tokens that sessions were told, time of hooks, and what models that read took. Tokens are estimated as
everywhere in recall, four characters each. What a told token then costs again with every later response is not counted
apart: it is in what the session spent.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from statistics import mean, median
from typing import NamedTuple

import msgspec

from afterwit.measure.outcomes import first_check_passed
from afterwit.measure.told_notes import SessionKey, key_of
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.kinds import Outcome, Relation
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


class JudgedSession(NamedTuple):
    """How a session went."""

    at_ms: int
    session: str
    agent: str
    task_type: str
    outcome: str
    first_try: bool | None  # None: it has no first check


class CourseShare(msgspec.Struct, frozen=True, kw_only=True):
    """Of a group of sessions: so many of so many, with the interval."""

    group: str  # a week, or "all"
    sessions: int
    completed: int
    judged: int  # of which somebody can tell how they ended
    completed_share: float | None
    completed_interval: tuple[float, float]
    first_try: int
    checked: int  # that have a first check
    first_try_share: float | None
    first_try_interval: tuple[float, float]


class CourseFigures(msgspec.Struct, frozen=True, kw_only=True):
    whole: CourseShare
    weeks: list[CourseShare]


def judged_session(digest: Digest) -> JudgedSession | None:
    """None where it does not count."""
    if digest.relation == Relation.SUBAGENT or digest.is_partial or digest.started_ms is None:
        return None
    about = (digest.started_ms, digest.native_id, digest.agent, digest.task_type.value)
    return JudgedSession(*about, digest.verdict.outcome.value, first_check_passed(digest.steps))


def course(rows: Sequence[JudgedSession], week_of: Callable[[int], str]) -> CourseFigures:
    """`week_of` names the week of a moment; names sort in order of time."""
    weeks: defaultdict[str, list[JudgedSession]] = defaultdict(list)
    for row in rows:
        weeks[week_of(row.at_ms)].append(row)
    return CourseFigures(whole=_share("all", rows), weeks=[_share(*week) for week in sorted(weeks.items())])


def _share(group: str, rows: Sequence[JudgedSession]) -> CourseShare:
    judged = [row.outcome == Outcome.SUCCESS for row in rows if row.outcome != Outcome.UNKNOWN]
    checked = [row.first_try for row in rows if row.first_try is not None]
    completed, passed = Proportion(sum(judged), len(judged)), Proportion(sum(checked), len(checked))
    return CourseShare(
        group=group,
        sessions=len(rows),
        completed=completed.hits,
        judged=completed.of,
        completed_share=completed.share,
        completed_interval=completed.interval,
        first_try=passed.hits,
        checked=passed.of,
        first_try_share=passed.share,
        first_try_interval=passed.interval,
    )


class Occasion(NamedTuple):
    """One time at which there was something to say."""

    at_ms: int
    to: SessionKey
    moment: str
    tokens: int  # that were said; 0: skipped on purpose, to compare
    is_skipped: bool  # not only some of the notes
    took_ms: int | None  # None: not recorded


class MemoryCost(NamedTuple):
    """One session for which there was something to say."""

    at_ms: int
    session: str
    agent: str
    is_skipped: bool
    times: int  # that something was said
    tokens: int
    hook_ms: int | None


class ModelSpend(msgspec.Struct, frozen=True, kw_only=True):
    """What models that read sessions for notes took."""

    requests: int = 0
    tokens: int = 0
    cost_usd: float | None = None  # None: no price is known
    unpriced: int = 0  # requests


class CostOfMemory(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int  # for which there was something to say
    told_sessions: int
    skipped_sessions: int
    tokens: int
    tokens_per_session: float | None  # of those that were told something
    most_tokens: int
    tokens_by_moment: dict[str, int]
    hook_calls: int  # whose time was recorded
    hook_ms_median: float | None
    hook_ms_most: int | None
    model: ModelSpend


def memory_costs(calls: Iterable[Occasion]) -> list[MemoryCost]:
    """By session, in order of time."""
    by_session: dict[SessionKey, list[Occasion]] = {}
    for call in calls:
        by_session.setdefault(call.to._replace(is_subagent=False), []).append(call)
    return sorted(_cost(session, own) for session, own in by_session.items())


def _cost(session: SessionKey, calls: Sequence[Occasion]) -> MemoryCost:
    took = [call.took_ms for call in calls if call.took_ms is not None]
    return MemoryCost(
        at_ms=min(call.at_ms for call in calls),
        session=session.session,
        agent=session.agent,
        is_skipped=all(call.is_skipped for call in calls),
        times=sum(bool(call.tokens) for call in calls),
        tokens=sum(call.tokens for call in calls),
        hook_ms=sum(took) if took else None,
    )


def cost_of_memory(rows: Sequence[MemoryCost], calls: Sequence[Occasion], model: ModelSpend) -> CostOfMemory:
    tokens = [row.tokens for row in rows if row.times]
    by_moment: Counter[str] = Counter()
    for call in calls:
        by_moment[call.moment] += call.tokens
    took = [call.took_ms for call in calls if call.took_ms is not None]
    return CostOfMemory(
        sessions=len(rows),
        told_sessions=len(tokens),
        skipped_sessions=sum(row.is_skipped for row in rows),
        tokens=sum(tokens),
        tokens_per_session=mean(tokens) if tokens else None,
        most_tokens=max(tokens, default=0),
        tokens_by_moment={moment: count for moment, count in sorted(by_moment.items()) if count},
        hook_calls=len(took),
        hook_ms_median=median(took) if took else None,
        hook_ms_most=max(took, default=None),
        model=model,
    )
