"""Reads the store and counts all figures: one pass over the digests, session by session, in one view of the store.

The store is only read. Memory grows with notes, with what was told and by a short row for each session; no digest is
kept.
"""

from collections import defaultdict
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
from afterwit.measure.cases import cases_in
from afterwit.measure.effect import EffectReport, effect_of
from afterwit.measure.note_changes import (
    Calibration,
    NoteHistory,
    Velocity,
    calibration,
    confidence_tests,
    gained_times,
    names_of,
    note_changes,
    velocity,
)
from afterwit.measure.standing_figures import (
    CostOfMemory,
    CourseFigures,
    JudgedSession,
    ModelSpend,
    Occasion,
    Recurrence,
    RecurrenceTally,
    cost_of_memory,
    course,
    judged_session,
    memory_costs,
    recurrence,
)
from afterwit.measure.told_notes import (
    HitRate,
    HitTally,
    SessionKey,
    ToldNote,
    WrongShare,
    first_told,
    hit_rate,
    judge_told,
    wrong_share,
)
from afterwit.measure.words import verdict
from afterwit.model.knowledge import GUARDED_FIXES, READ, Item, ItemStatus
from afterwit.model.learn_run import Progress
from afterwit.model.times import iso_from_ms
from afterwit.recall.situation import tokens
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.hooks import DrawRow, draws_since
from afterwit.store.rows.items import recorded
from afterwit.store.rows.readings import spending
from afterwit.store.rows.session_list import Selection, count_selected, select_sessions, times_of_sessions
from afterwit.store.store import readonly_database

EXPLAINED = ("hit-rate", "wrong", "recurrence", "completion", "first-try", "cost", "velocity", "confidence")
"""Names of figures that can be traced to what they were counted from."""
_VERSION = 1
_DAY_MS = 86_400_000


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What `metrics.json` holds."""

    version: int = _VERSION
    made_ms: int
    since_ms: int  # 0: from the beginning
    sessions: int  # that were looked at
    helps: str  # whether memory helps, in words; "" where nothing was compared
    effect: EffectReport  # what was compared, of all sessions
    hit_rate: HitRate
    wrong: WrongShare
    recurrence: Recurrence
    course: CourseFigures
    cost: CostOfMemory
    velocity: Velocity
    confidence: Calibration | None  # None: no session has put a note to the test


class Measured(NamedTuple):
    figures: Figures
    rows: Mapping[str, Sequence[Any]]  # named tuples, by the names in `EXPLAINED`


def collect(world: World, since_ms: int, progress: Progress) -> Measured:
    """All figures of the sessions that began since then, and what was told and learned since then."""
    with readonly_database(world.layout) as db:
        db.execute("BEGIN")  # one view of the store, whatever runs beside
        return _collect(db, world, since_ms, progress)


def _collect(db: apsw.Connection, world: World, since_ms: int, progress: Progress) -> Measured:
    items, history = list(all_items(db)), _history(db)
    gained = gained_times(items, history)
    notes, calls = _read_told(draws_since(db, since_ms), items, notes_of_lines(recorded(db)))
    told: defaultdict[SessionKey, set[str]] = defaultdict(set)
    for note in notes:
        told[note.to].add(note.item)
    by_id = {item.id: item for item in items}
    hits, judged = HitTally(notes, by_id), judge_told(notes, by_id, history)
    errors = RecurrenceTally(items, gained, told)
    sessions: list[JudgedSession] = []
    selection = Selection(since_ms=since_ms or None)
    count = count_selected(db, selection)
    progress.stage("counting", count, "sessions")
    for row in select_sessions(db, selection):
        digest = load_digest(db, row)
        if digest is not None:
            hits.take(digest)
            errors.take(digest)
            course_of = judged_session(digest)
            sessions += [course_of] if course_of is not None else []
        progress.advance(1, 1)
    moments, costs, tests = hits.rows(), memory_costs(calls), confidence_tests(items, history, since_ms)
    changes = [
        change for change in note_changes(items, history, gained) if change.at_ms >= since_ms or not change.at_ms
    ]
    first_ms = since_ms or times_of_sessions(db, selection).earliest_ms or world.now_ms
    effect = effect_of(cases_in(db))
    figures = Figures(
        made_ms=world.now_ms,
        since_ms=since_ms,
        sessions=count,
        helps=verdict(effect) if effect.sessions or effect.alarms else "",
        effect=effect,
        hit_rate=hit_rate(moments),
        wrong=wrong_share(judged),
        recurrence=recurrence(errors.rows()),
        course=course(sessions, lambda at_ms: week_of(world.calendar.date(at_ms))),
        cost=cost_of_memory(costs, calls, _model_spend(db, since_ms)),
        velocity=velocity(
            changes, sum(item.status is ItemStatus.ACTIVE for item in items), -(-(world.now_ms - first_ms) // _DAY_MS)
        ),
        confidence=calibration(tests),
    )
    rows = (moments, judged, errors.seen, sessions, sessions, costs, changes, tests)
    return Measured(figures, dict(zip(EXPLAINED, rows, strict=True)))


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


def _read_told(
    draws: Iterable[DrawRow], items: Iterable[Item], notes_of: Mapping[str, Sequence[str]]
) -> tuple[list[ToldNote], list[Occasion]]:
    """The notes that hooks and the server told, each once in a session, those of a line with it; and all times at which
    there was something to say."""
    heads = {name: item.id for item in items for name in names_of(item)}
    notes: list[ToldNote] = []
    calls: list[Occasion] = []
    for draw in draws:
        to = SessionKey(draw.agent, draw.session, bool(draw.context))
        calls.append(Occasion(draw.at_ms, to, draw.moment, tokens(draw.text), bool(draw.is_held), draw.took_ms))
        for name, is_shown in msgspec.json.decode(draw.items, type=dict[str, int]).items():
            told = notes_of.get(name) or (name,) if is_shown else ()
            notes += [ToldNote(draw.at_ms, to, heads.get(note, note), draw.moment, draw.act) for note in told]
    return list(first_told(notes)), calls


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
