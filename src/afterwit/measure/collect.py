"""Reads the store and counts all figures: one pass over the digests, session by session, in one view of the store.

The store is only read. Memory grows with notes, with what was told and by a short row for each session; no digest is
kept.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.calendar import week_of
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.harvest.harvester import id_of
from afterwit.harvest.registry import harvesters
from afterwit.knowledge.brief import notes_of_lines
from afterwit.knowledge.door.echoes import echoes
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.door.settle import recorded
from afterwit.measure.cases import cases_in
from afterwit.measure.confidence import Calibration, ConfidenceTest, Forecast, calibration, confidence_tests
from afterwit.measure.effect import EffectReport, effect_of
from afterwit.measure.memory_cost import (
    CostOfMemory,
    MemoryCost,
    ModelSpend,
    Occasion,
    SessionTokens,
    cost_of_memory,
    memory_costs,
)
from afterwit.measure.note_changes import (
    NoteChange,
    NoteHistory,
    Velocity,
    gained_times,
    names_of,
    note_changes,
    velocity,
)
from afterwit.measure.recurrence import ErrorSeen, ErrorWeek, Recurrence, RecurrenceTally, recurrence
from afterwit.measure.session_course import CourseFigures, JudgedSession, course, judged_session
from afterwit.measure.told_notes import (
    HitRate,
    HitTally,
    MomentOfNote,
    SessionKey,
    ToldJudgement,
    ToldNote,
    WrongShare,
    WrongTally,
    first_told,
    hit_rate,
    wrong_share,
)
from afterwit.measure.words import verdict
from afterwit.model.digest import Digest
from afterwit.model.kinds import Status
from afterwit.model.knowledge import GUARDED_FIXES, READ, Item, ItemStatus
from afterwit.model.learn_run import Progress
from afterwit.model.times import iso_from_ms
from afterwit.recall.situation import tokens
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.health import transcript_rows
from afterwit.store.rows.hooks import DrawRow, draws_since, faults
from afterwit.store.rows.readings import spending
from afterwit.store.rows.session_list import Selection, SessionRow, count_selected, select_sessions, times_of_sessions
from afterwit.store.store import readonly_database


class AgentFiles(NamedTuple):
    """What `capture` noted of the logs of an agent."""

    files: int = 0
    unreadable: int = 0
    problems: int = 0  # places within files


class AgentCapture(NamedTuple):
    """The logs of one agent."""

    agent: str
    sessions: int
    files: int
    unreadable: int
    problems: int
    actions: int
    unknown: int
    suggested: int  # of these, by their output
    hook_faults: int


class CaptureHealth(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    files: int
    unreadable: int
    problems: int
    actions: int
    unknown: int
    suggested: int
    unknown_share: float | None
    hook_faults: int
    agents: list[AgentCapture]


class CaptureTally:
    """Counts sessions and their actions by agent."""

    def __init__(self) -> None:
        self._sessions: Counter[str] = Counter()
        self._actions: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._suggested: Counter[str] = Counter()

    def take(self, digest: Digest) -> None:
        self._sessions[digest.agent] += 1
        self._actions[digest.agent] += len(digest.steps)
        unknown = [step for step in digest.steps if step.status is Status.UNKNOWN]
        self._unknown[digest.agent] += len(unknown)
        self._suggested[digest.agent] += sum(step.lean is not None for step in unknown)

    def rows(self, files: Mapping[str, AgentFiles], faults: Mapping[str, int]) -> list[AgentCapture]:
        agents = sorted({*self._sessions, *files, *faults})
        return [
            AgentCapture(
                agent,
                self._sessions[agent],
                *files.get(agent, AgentFiles()),
                self._actions[agent],
                self._unknown[agent],
                self._suggested[agent],
                faults.get(agent, 0),
            )
            for agent in agents
        ]


def capture_health(rows: Iterable[AgentCapture]) -> CaptureHealth:
    rows = list(rows)
    sums = {name: sum(getattr(row, name) for row in rows) for name in AgentCapture._fields if name != "agent"}
    share = sums["unknown"] / sums["actions"] if sums["actions"] else None
    return CaptureHealth(**sums, unknown_share=share, agents=rows)


VERSION = 1


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What `metrics.json` holds. Fields are only added."""

    version: int = VERSION
    made_ms: int
    since_ms: int  # 0: from the beginning
    sessions: int  # that were looked at
    helps: str  # whether memory helps, in words; "" where nothing was compared
    effect: EffectReport | None  # what was compared, of all sessions; None: nothing was looked at
    hit_rate: HitRate
    wrong: WrongShare
    recurrence: Recurrence
    course: CourseFigures
    cost: CostOfMemory
    velocity: Velocity
    confidence: Calibration | None  # None: no session has put a note to the test
    capture: CaptureHealth


class MetricRows(NamedTuple):
    """What the figures were counted from."""

    moments: Sequence[MomentOfNote]
    wrong: Sequence[ToldJudgement]
    errors: Sequence[ErrorSeen]
    error_weeks: Sequence[ErrorWeek]
    sessions: Sequence[JudgedSession]
    costs: Sequence[MemoryCost]
    changes: Sequence[NoteChange]
    confidence: Sequence[ConfidenceTest]
    capture: Sequence[AgentCapture]

    def of(self, metric: str) -> Sequence[tuple[Any, ...]]:
        """The rows behind one figure."""
        rows: Sequence[tuple[Any, ...]] = getattr(self, EXPLAINED[metric])
        return rows


EXPLAINED: Mapping[str, str] = {
    "hit-rate": "moments",
    "wrong": "wrong",
    "recurrence": "errors",
    "reduction": "error_weeks",
    "completion": "sessions",
    "first-try": "sessions",
    "cost": "costs",
    "velocity": "changes",
    "confidence": "confidence",
    "capture": "capture",
}
"""Names of figures, and which rows they are counted from."""


class Measured(NamedTuple):
    figures: Figures
    rows: MetricRows


_MOST_DAYS = 1_100  # of the history of reports
_UNREADABLE = ("failed", "damaged")
_DAY_MS = 86_400_000


class _Told(NamedTuple):
    """What hooks and the server left behind."""

    notes: list[ToldNote]  # each once in a session
    calls: list[Occasion]

    def by_session(self) -> dict[SessionKey, frozenset[str]]:
        by_session: defaultdict[SessionKey, set[str]] = defaultdict(set)
        for note in self.notes:
            by_session[note.to].add(note.item)
        return {session: frozenset(items) for session, items in by_session.items()}


def collect(world: World, since_ms: int, progress: Progress) -> Measured:
    """All figures of the sessions that began since then, and what was told and learned since then."""
    with readonly_database(world.layout) as db:
        db.execute("BEGIN")  # one view of the store, whatever runs beside
        return _Collecting(db, world, since_ms).measured(progress)


def collect_confidence(world: World) -> list[ConfidenceTest]:
    """The sessions that put notes to the test, alone: without a look at their digests."""
    with readonly_database(world.layout) as db:
        return confidence_tests(all_items(db), _history(db))


class _Collecting:
    def __init__(self, db: apsw.Connection, world: World, since_ms: int) -> None:
        self._db = db
        self._world = world
        self._since_ms = since_ms
        self._selection = Selection(since_ms=since_ms or None)
        self._items = list(all_items(db))
        self._history = _history(db)
        self._gained = gained_times(self._items, self._history)
        self._told = _read_told(draws_since(db, since_ms), self._items, notes_of_lines(recorded(db)))
        by_id = {item.id: item for item in self._items}
        self._hits = HitTally(self._told.notes, by_id)
        self._wrong = WrongTally(self._told.notes, by_id, self._history)
        self._errors = RecurrenceTally(self._items, self._gained, self._told.by_session())
        self._capture = CaptureTally()
        self._sessions: list[JudgedSession] = []
        self._spent: dict[SessionKey, SessionTokens] = {}

    def measured(self, progress: Progress) -> Measured:
        count = count_selected(self._db, self._selection)
        progress.stage("counting", count, "sessions")
        drawn = {call.to._replace(is_subagent=False) for call in self._told.calls}
        for row in select_sessions(self._db, self._selection):
            key = SessionKey(row.agent, row.native_id)
            if key in drawn:
                self._spent[key] = _tokens_of(row)
            digest = load_digest(self._db, row)
            if digest is not None:
                self._take(digest)
            progress.advance(1, 1)
        rows = self._rows()
        return Measured(self._figures(rows, count), rows)

    def _take(self, digest: Digest) -> None:
        self._hits.take(digest)
        self._wrong.take(digest)
        self._errors.take(digest)
        self._capture.take(digest)
        judged = judged_session(digest)
        if judged is not None:
            self._sessions.append(judged)

    def _rows(self) -> MetricRows:
        files, noted = _files(self._db), faults(self._db, self._since_ms)
        changes = note_changes(self._items, self._history, self._gained)
        return MetricRows(
            moments=self._hits.rows(),
            wrong=self._wrong.rows(),
            errors=self._errors.seen,
            error_weeks=self._errors.rows(),
            sessions=self._sessions,
            costs=memory_costs(self._told.calls, self._spent),
            changes=[change for change in changes if change.at_ms >= self._since_ms or not change.at_ms],
            confidence=confidence_tests(self._items, self._history, self._since_ms),
            capture=self._capture.rows(files, Counter(fault.agent for fault in noted)),
        )

    def _figures(self, rows: MetricRows, sessions: int) -> Figures:
        calendar, now_ms = self._world.calendar, self._world.now_ms
        first_ms = self._since_ms or times_of_sessions(self._db, self._selection).earliest_ms or now_ms
        in_use = sum(item.status is ItemStatus.ACTIVE for item in self._items)
        tests = (Forecast(test.confidence, test.came_true, test.item) for test in rows.confidence)
        effect = effect_of(cases_in(self._db))
        return Figures(
            made_ms=now_ms,
            since_ms=self._since_ms,
            sessions=sessions,
            helps=verdict(effect.brief) if effect.sessions or effect.unweighed or effect.alarms else "",
            effect=effect,
            hit_rate=hit_rate(rows.moments),
            wrong=wrong_share(rows.wrong),
            recurrence=recurrence(rows.error_weeks),
            course=course(rows.sessions, lambda at_ms: week_of(calendar.date(at_ms))),
            cost=cost_of_memory(rows.costs, self._told.calls, _model_spend(self._db, self._since_ms)),
            velocity=velocity(rows.changes, in_use, -(-(now_ms - first_ms) // _DAY_MS)),
            confidence=calibration(tests),
            capture=capture_health(rows.capture),
        )


def _history(db: apsw.Connection) -> NoteHistory:
    entries = recorded(db)
    in_force = gather_decisions(entries)
    own = {harvester.name: harvester.minimum_stories for harvester in harvesters()}
    return NoteHistory(
        decisions=in_force.decisions,
        echoes=echoes(db, notes_of_lines(entries)),
        minimum_stories={READ: 1, GUARDED_FIXES: 1} | own,
        stated={id_of(draft): draft.stated_confidence for draft in in_force.drafts if draft.stated_confidence},
    )


def _read_told(draws: Iterable[DrawRow], items: Iterable[Item], notes_of: Mapping[str, Sequence[str]]) -> _Told:
    """Of a line that was compiled, the notes that it rests on were told."""
    heads = {name: item.id for item in items for name in names_of(item)}
    notes: list[ToldNote] = []
    calls: list[Occasion] = []
    for draw in draws:
        to = SessionKey(draw.agent, draw.session, bool(draw.context))
        calls.append(Occasion(draw.at_ms, to, draw.moment, tokens(draw.text), bool(draw.is_held), draw.took_ms))
        for name, is_shown in msgspec.json.decode(draw.items, type=dict[str, int]).items():
            told = notes_of.get(name) or (name,) if is_shown else ()
            notes += [ToldNote(draw.at_ms, to, heads.get(note, note), draw.moment, draw.act) for note in told]
    return _Told(list(first_told(notes)), calls)


def _tokens_of(row: SessionRow) -> SessionTokens:
    given = row.tokens_input + row.tokens_cache_read + row.tokens_cache_write
    return SessionTokens(given, row.tokens_cache_read)


def _files(db: apsw.Connection) -> dict[str, AgentFiles]:
    files: dict[str, AgentFiles] = {}
    for row in transcript_rows(db):
        before = files.get(row.agent, AgentFiles())
        is_unreadable = row.state in _UNREADABLE
        files[row.agent] = AgentFiles(
            before.files + 1, before.unreadable + is_unreadable, before.problems + row.problems
        )
    return files


def _model_spend(db: apsw.Connection, since_ms: int) -> ModelSpend:
    """What the requests of whole days took, from the day of the moment on."""
    from_day = iso_from_ms(since_ms)[:10]
    spends = [spend for spend in spending(db) if spend.day >= from_day]
    priced = [spend.cost_usd for spend in spends if spend.cost_usd is not None]
    return ModelSpend(
        requests=sum(spend.requests for spend in spends),
        tokens=sum(spend.tokens_in + spend.tokens_out for spend in spends),
        cost_usd=sum(priced) if priced else None,
        unpriced=sum(spend.unpriced for spend in spends),
    )


class ReportDay(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a day. Fields are only added."""

    day: str
    sessions: int
    in_use: int
    gained: int
    lost: int
    told: int
    available: int
    used: int
    wrong: int
    completed: int
    judged: int
    first_try: int
    checked: int
    tokens: int


def day_of(figures: Figures, today: dt.date) -> ReportDay:
    whole = figures.course.whole
    return ReportDay(
        day=today.isoformat(),
        sessions=figures.sessions,
        in_use=figures.velocity.in_use,
        gained=figures.velocity.gained,
        lost=figures.velocity.lost,
        told=figures.hit_rate.told,
        available=figures.hit_rate.available,
        used=figures.hit_rate.used,
        wrong=figures.wrong.wrong,
        completed=whole.completed,
        judged=whole.judged,
        first_try=whole.first_try,
        checked=whole.checked,
        tokens=figures.cost.tokens,
    )


def with_day(days: Iterable[ReportDay], today: ReportDay) -> list[ReportDay]:
    """The history with a day, in the place of what was noted of it before."""
    others = (day for day in days if day.day != today.day)
    return sorted([*others, today], key=lambda day: day.day)[-_MOST_DAYS:]


def days_in(content: bytes) -> list[ReportDay]:
    """The days of a file. A line that makes no sense is passed over."""
    days = []
    for line in content.splitlines():
        try:
            days.append(msgspec.json.decode(line, type=ReportDay))
        except msgspec.MsgspecError:
            continue
    return days


def as_lines(days: Iterable[ReportDay]) -> bytes:
    return b"".join(msgspec.json.encode(day) + b"\n" for day in days)
