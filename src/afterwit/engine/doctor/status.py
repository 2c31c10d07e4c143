"""`status`: whether it lives, at a glance: last learned, last told, what waits, what vanishes, what is wrong.

Reads a few rows, what hooks left in the spool, and a `stat` of the logs of those agents that delete them. What takes a
look at everything is left to `doctor`. Changes nothing.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

import apsw
import msgspec

from afterwit.agents.registry import DAY_MS
from afterwit.capture.logs import Home, retention_in, vanishes_at
from afterwit.capture.plan import homes, plan
from afterwit.config.extras import functions
from afterwit.config.world import World
from afterwit.connect.plan import Machine
from afterwit.engine.doctor.doctor import OVERDUE_DAYS
from afterwit.engine.doctor.findings import (
    RECENT_DAYS,
    DoctorFinding,
    ReadingState,
    StoreHealth,
    alarm,
    connection_findings,
    extra_findings,
    fault_findings,
    findings_around,
    reading_findings,
    reading_state,
    surroundings,
)
from afterwit.knowledge.door.repeated import RepeatedLine, repeated_lines
from afterwit.measure.effect import KeptEffect, kept_effect
from afterwit.measure.words import verdict
from afterwit.model.figures import human_count, human_tokens
from afterwit.model.knowledge import ItemStatus
from afterwit.recall.holdout import CHECK, REPEATED
from afterwit.recall.situation import tokens
from afterwit.recall.spooled import draws_in
from afterwit.store import spool
from afterwit.store.archive import Archive
from afterwit.store.marks import last_learned
from afterwit.store.rows import hooks
from afterwit.store.rows.files import LOST, files_dropped
from afterwit.store.rows.health import archive_state, database_bytes
from afterwit.store.rows.hooks import DrawnSession, DrawRow
from afterwit.store.rows.items import count_by_status
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.store import readonly_database, require


class LearnedState(msgspec.Struct, frozen=True, kw_only=True):
    """The last run, and the last one that brought something."""

    last_run_ms: int | None
    news_ms: int | None = None
    sessions: int = 0  # that it read
    new_sessions: int = 0
    new_notes: int = 0


class Spoke(msgspec.Struct, frozen=True, kw_only=True):
    """The last time that an agent was told something."""

    at_ms: int
    agent: str
    repo: str
    moment: str
    act: str


class SkippedSessions(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that were skipped on purpose, to compare, among all for which there was something to say."""

    days: int
    sessions: int
    skipped: int
    session_share: float
    item_share: float
    arms: list[str]  # of an experiment that is under way


class ToldLately(msgspec.Struct, frozen=True, kw_only=True):
    """What sessions were told in the last days, and what it cost to read."""

    days: int
    sessions: int
    tokens: int
    stopped: int  # calls, by checks
    made_again: int  # of these, made once more all the same

    @property
    def in_words(self) -> str:
        """ "" where nothing was told."""
        if not self.sessions:
            return ""
        sessions = human_count(self.sessions, "session was", "sessions were")
        obeyed = f"; {self.stopped - self.made_again:,} of {human_count(self.stopped, 'stopped call')} obeyed"
        where = f"In {self.days} days {sessions} told about {human_tokens(self.tokens)} tokens"
        return where + (obeyed if self.stopped else "")


class NoteCounts(msgspec.Struct, frozen=True, kw_only=True):
    active: int
    needs_approval: int
    waiting: int


class VanishingLogs(msgspec.Struct, frozen=True, kw_only=True):
    """Logs that agents will delete by themselves."""

    agents: list[str]  # that do so, and of which there are logs
    uncaptured: int  # not read as they are now
    vanishes_ms: int | None  # when the first of these goes
    captured: int  # safe


class BackupState(msgspec.Struct, frozen=True, kw_only=True):
    """Of the last good backup, and of a try since."""

    target: str
    made_ms: int | None  # None: none was made
    is_daily: bool
    failed_ms: int | None
    failure: str


class StoredData(msgspec.Struct, frozen=True, kw_only=True):
    root: str
    sessions: int
    database_bytes: int
    archive_bytes: int | None  # None: not looked at


class ProofOfLife(msgspec.Struct, frozen=True, kw_only=True):
    learned: LearnedState
    spoke: Spoke | None  # None: never
    told: ToldLately
    comparison: SkippedSessions
    notes: NoteCounts
    vanishing: VanishingLogs
    reading: ReadingState
    effect: KeptEffect | None  # whether it helps, as it was found last
    backup: BackupState | None  # None: no backup was ever made or set up
    repeated: list[RepeatedLine]  # what users had to say again, the most often first
    findings: list[DoctorFinding]  # alarms, then warnings
    stored: StoredData


def status(world: World, machine: Machine, *, has_sizes: bool = True) -> ProofOfLife:
    """How things stand. The size of the archive takes a look at each of its files."""
    require(world.layout)
    health = surroundings(world.layout, is_full=False)
    with readonly_database(world.layout) as db:
        waiting = _draws_waiting(world, db)
        vanishing = _count_vanishing(world, db)
        stored = StoredData(
            root=str(world.layout.root),
            sessions=count_sessions(db),
            database_bytes=database_bytes(world.layout.database),
            archive_bytes=archive_state(db, Archive(world.layout.archive)).packed_bytes if has_sizes else None,
        )
        counts = count_by_status(db)
        learned = _last_learn(db, health)
        return ProofOfLife(
            learned=learned,
            spoke=_spoke(db, waiting),
            told=_told(db, waiting, world.now_ms),
            comparison=_comparison(db, waiting, world.now_ms),
            notes=NoteCounts(
                active=counts.get(ItemStatus.ACTIVE, 0),
                needs_approval=counts.get(ItemStatus.QUARANTINED, 0),
                waiting=counts.get(ItemStatus.CANDIDATE, 0),
            ),
            vanishing=vanishing,
            reading=reading_state(db, world.settings.reading, world.now_ms),
            effect=kept_effect(db),
            backup=next((state for look in functions("backup_state") if (state := look(world)) is not None), None),
            repeated=repeated_lines(db),
            findings=sorted(
                _findings(world, machine, db, health, learned, vanishing), key=lambda finding: finding.level
            ),
            stored=stored,
        )


def paying(now: ProofOfLife) -> str:
    """Whether it pays, in a line: what was told, obeyed and had to be said again, and what the hold-out says."""
    again = f"; {human_count(len(now.repeated), 'line')} had to be said again" if now.repeated else ""
    told = now.told.in_words
    return f"{told}{again}. {_helping(now)}" if told else _helping(now)


def _helping(now: ProofOfLife) -> str:
    """Whether it helps, in words that go with when it last spoke and what was skipped."""
    seen = now.effect.effect if now.effect is not None else None
    if seen is not None and (seen.sessions or seen.alarms):
        return verdict(seen)
    comparison = now.comparison
    if now.spoke is None and not comparison.skipped:
        return "No evidence yet: nothing was told."
    if not (comparison.session_share or comparison.item_share or comparison.arms):
        return "No evidence: every session is told everything, so that there is nothing to compare with."
    return "No evidence yet: of the sessions that were told something or skipped, none was compared so far."


def _draws_waiting(world: World, db: apsw.Connection) -> list[DrawRow]:
    """What hooks drew since the last run. A run at work may take files away meanwhile."""
    drawn: list[DrawRow] = []
    with suppress(OSError):
        for batch in spool.drain(world.layout.spool):
            drawn += draws_in(batch.records)
    stored = hooks.keys_of_draws(db, [draw.key for draw in drawn])
    return [draw for draw in drawn if draw.key not in stored]


def _last_learn(db: apsw.Connection, health: StoreHealth) -> LearnedState:
    noted = last_learned(db)
    if noted is None:
        return LearnedState(last_run_ms=health.last_run_ms)
    return LearnedState(
        last_run_ms=noted.at_ms,
        news_ms=noted.news_ms or None,
        sessions=noted.sessions,
        new_sessions=noted.new_sessions,
        new_notes=noted.new_notes,
    )


def _spoke(db: apsw.Connection, waiting: list[DrawRow]) -> Spoke | None:
    stored = hooks.last_told(db)
    told = [*([stored] if stored else []), *(draw for draw in waiting if draw.text)]
    if not told:
        return None
    last = max(told, key=lambda draw: draw.at_ms)
    return Spoke(at_ms=last.at_ms, agent=last.agent, repo=last.repo, moment=last.moment, act=last.act)


def _told(db: apsw.Connection, waiting: list[DrawRow], now_ms: int) -> ToldLately:
    since_ms = now_ms - RECENT_DAYS * DAY_MS
    drawn = chain(hooks.draws_since(db, since_ms), (draw for draw in waiting if draw.at_ms >= since_ms))
    sessions, cost, acts = set[tuple[str, str]](), 0, Counter[str]()
    for draw in drawn:
        if draw.text:
            sessions.add((draw.agent, draw.session))
            cost += tokens(draw.text)
        if not draw.is_held:
            acts[draw.act] += 1
    return ToldLately(
        days=RECENT_DAYS,
        sessions=len(sessions),
        tokens=cost,
        stopped=acts[CHECK],
        made_again=min(acts[CHECK], acts[REPEATED]),
    )


def _comparison(db: apsw.Connection, waiting: list[DrawRow], now_ms: int) -> SkippedSessions:
    since_ms = now_ms - RECENT_DAYS * DAY_MS
    recent = {DrawnSession(draw.agent, draw.session, draw.is_held) for draw in waiting if draw.at_ms >= since_ms}
    drawn = hooks.sessions_drawn(db, since_ms) | recent
    chosen = hooks.shares(db)
    return SkippedSessions(
        days=RECENT_DAYS,
        sessions=len({(row.agent, row.session) for row in drawn}),
        skipped=len({(row.agent, row.session) for row in drawn if row.is_held}),
        session_share=chosen.session_share,
        item_share=chosen.item_share,
        arms=list(chosen.arms),
    )


def _count_vanishing(world: World, db: apsw.Connection) -> VanishingLogs:
    forgetful: list[Home] = []
    for home in homes(world.settings, world.user_home):
        kept = retention_in(home)
        if kept is not None and kept.days is not None:
            forgetful.append(home)
    plans = [agent for agent in plan(db, forgetful, declared=world.declared) if agent.discovered]
    moments = [
        moment
        for agent in plans
        for file in agent.pending
        if (moment := vanishes_at(file.home, retention_in(file.home), file.unit.transcript)) is not None
    ]
    return VanishingLogs(
        agents=[agent.agent for agent in plans],
        uncaptured=len(moments),
        vanishes_ms=min(moments, default=None),
        captured=sum(agent.unchanged for agent in plans),
    )


def _findings(
    world: World,
    machine: Machine,
    db: apsw.Connection,
    health: StoreHealth,
    learned: LearnedState,
    vanishing: VanishingLogs,
) -> Iterator[DoctorFinding]:
    """Those of `doctor` that cost no look at everything."""
    yield from findings_around(world.layout, health, world.now_ms)
    yield from fault_findings(db, world.now_ms)
    yield from reading_findings(db)
    yield from extra_findings(world)
    yield from connection_findings(machine)
    recent_ms = world.now_ms - RECENT_DAYS * DAY_MS
    lost = sum(file.state == LOST and file.dropped_ms > recent_ms for file in files_dropped(db))
    if lost:
        what = "1 original was" if lost == 1 else f"{lost:,} originals were"
        yield alarm("data-loss", f"{what} dropped without having been analysed. `afterwit doctor` says what to do.")
    days = (world.now_ms - (learned.last_run_ms or world.now_ms)) // DAY_MS
    if vanishing.uncaptured and days >= OVERDUE_DAYS:
        yield alarm(
            "learn-overdue", f"No run for {days} days, and logs wait that will be deleted. Run `afterwit learn`."
        )
