"""Which sessions to read or harvest first: every session gets a score by one of two schemes, and the best are chosen.

Scores come from the facts of whole sessions. Transcripts that are not learned yet are parsed for the occasion and
counted in. Where the originals lie, and when their agents will delete them, is looked up on the disk. Writes nothing.
"""

import math
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.agents import registry
from afterwit.agents.prompt_history import HISTORY
from afterwit.capture.logs import look_into
from afterwit.capture.plan import homes
from afterwit.capture.retention import keeping_in, vanishes_at
from afterwit.config.world import World
from afterwit.digest import points
from afterwit.digest.update import load_digest
from afterwit.digest.value import Candidate, Finding, Value, chosen, findings_of
from afterwit.learn.rehearsal import Rehearsed, rehearsal
from afterwit.model.learn_run import Progress
from afterwit.sessions.filters import Filter, one_line, selection_of
from afterwit.sessions.list import short_ids
from afterwit.store.rows.files import file_key
from afterwit.store.rows.sampling import files_by_session
from afterwit.store.rows.selection import Selection
from afterwit.store.rows.session_list import SessionRow, native_ids, selected_sessions

_SOON_MS = 7 * 86_400_000
_TITLE_LENGTH = 200
_NO_TIME = -1


class Scheme(StrEnum):
    """How sessions are scored."""

    VALUE = "value"
    POINTS = "points"


class Wanted(NamedTuple):
    """Which sessions to choose from, and how many to choose."""

    scheme: Scheme = Scheme.VALUE
    filter: Filter = Filter()
    most: int = 0  # 0: all
    top_percent: float = 100.0  # of those that the filter means
    min_score: float = 0.0


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was chosen, and why."""

    id: str  # enough of the native id to name the session
    native_id: str
    agent: str
    repo: str
    started_ms: int | None
    ended_ms: int | None
    title: str  # or the beginning of the task
    outcome: str
    relation: str
    messages: int
    actions: int
    score: float
    breakdown: dict[str, float]  # what the score is the sum of
    paths: list[str]  # the originals, as far as they are where the agent keeps them
    vanishes_ms: int | None  # when the agent will delete the first of them
    is_learned: bool  # the store holds it as it is now


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    scheme: Scheme
    sessions: list[Sampled]
    found: int  # how many the filter means
    unlearned_files: int  # transcripts that the store does not hold, or not as they are now
    has_unlearned: bool  # whether these were scored too; not while another run is at work


def sample(world: World, wanted: Wanted, progress: Progress) -> Sample:
    """The sessions with the highest scores, the best first."""
    with rehearsal(world, progress) as rehearsed:
        scene = _scene(world, rehearsed)
        selection = selection_of(rehearsed.db, world.settings, wanted.filter)
        rows = list(selected_sessions(rehearsed.db, selection))
        ranked = _by_points(scene, rows) if wanted.scheme is Scheme.POINTS else _by_value(scene, rows)
        best = takewhile(lambda one: one.score >= wanted.min_score, islice(ranked, _most(wanted, len(rows))))
        short = short_ids(native_ids(rehearsed.db))
        return Sample(
            scheme=wanted.scheme,
            sessions=[_sampled(scene, one, short[one.row.native_id]) for one in best],
            found=len(rows),
            unlearned_files=len(rehearsed.pending),
            has_unlearned=rehearsed.has_pending,
        )


class _Original(NamedTuple):
    """A transcript that is still where its agent keeps it."""

    path: Path
    vanishes_ms: int | None


class _Scene(NamedTuple):
    """What scores are made from."""

    rehearsed: Rehearsed
    now_ms: int
    originals: Mapping[int, list[_Original]]  # by session
    unlearned: frozenset[int]  # sessions that the store does not hold as they are now

    def vanishes_ms(self, session: int) -> int | None:
        moments = (original.vanishes_ms for original in self.originals.get(session, ()))
        return min((moment for moment in moments if moment is not None), default=None)

    def is_vanishing(self, session: int) -> bool:
        moment = self.vanishes_ms(session)
        return moment is not None and moment <= self.now_ms + _SOON_MS


class _Scored(NamedTuple):
    row: SessionRow
    score: float
    breakdown: dict[str, float]


def _scene(world: World, rehearsed: Rehearsed) -> _Scene:
    pending, on_disk = {one.key for one in rehearsed.pending}, dict(_on_disk(world))
    files = files_by_session(rehearsed.db)
    originals = {session: [on_disk[key] for key in keys if key in on_disk] for session, keys in files.items()}
    unlearned = frozenset(session for session, keys in files.items() if not pending.isdisjoint(keys))
    return _Scene(rehearsed, world.now_ms, originals, unlearned)


def _on_disk(world: World) -> Iterator[tuple[bytes, _Original]]:
    """The transcripts of all agents that are on this machine now, by the key of their file."""
    for home in homes(world.settings, world.user_home):
        agent, reader = registry.agent(home.agent, world.declared), registry.reader_for(home.agent, world.declared)
        kept = keeping_in(home)
        for unit in look_into(home.folder, agent, reader).units:
            found, key = unit.transcript, file_key(home.agent, home.label + str(unit.transcript.path))
            if found.path != HISTORY:
                yield key, _Original(home.folder / found.path, vanishes_at(home, kept, found))


def _by_points(scene: _Scene, rows: list[SessionRow]) -> Iterator[_Scored]:
    """Which session is the first of its repository is settled over all sessions, not only the ones asked for."""
    firsts = points.firsts(_facts(row) for row in selected_sessions(scene.rehearsed.db, Selection()))
    scored = []
    for row in rows:
        facts = _facts(row)
        found = points.points_of(facts, is_first=facts.name in firsts, now_ms=scene.now_ms)
        scored.append(_Scored(row, found.total, {name: float(part) for name, part in found._asdict().items()}))
    return iter(sorted(scored, key=lambda one: (-one.score, _latest_first(one.row))))


def _by_value(scene: _Scene, rows: list[SessionRow]) -> Iterator[_Scored]:
    by_order = {_latest_first(row): row for row in rows}
    candidates = (
        Candidate(order, _findings(scene, row), scene.is_vanishing(row.id)) for order, row in by_order.items()
    )
    for one in chosen(candidates):
        yield _Scored(by_order[one.candidate.order], one.value.total, _parts(one.value))


def _facts(row: SessionRow) -> points.Facts:
    messages = row.prompts + row.replies
    return points.Facts(
        row.agent, row.native_id, row.repo, row.started_ms, row.ended_ms, messages, row.actions, row.outcome
    )


def _findings(scene: _Scene, row: SessionRow) -> tuple[Finding, ...]:
    digest = load_digest(scene.rehearsed.db, row)
    return () if digest is None else findings_of(digest)


def _parts(value: Value) -> dict[str, float]:
    return {aspect.value: part for aspect, part in value.by_aspect.items()} | {"vanishing": value.vanishing}


def _latest_first(row: SessionRow) -> tuple[int, str, str]:
    return -(_NO_TIME if row.started_ms is None else row.started_ms), row.native_id, row.agent


def _text(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


def _most(wanted: Wanted, found: int) -> int:
    share = math.ceil(round(found * wanted.top_percent / 100, 6))
    return min(share, wanted.most) if wanted.most else share


def _sampled(scene: _Scene, one: _Scored, short: str) -> Sampled:
    row = one.row
    return Sampled(
        id=short,
        native_id=row.native_id,
        agent=row.agent,
        repo=row.repo,
        started_ms=row.started_ms,
        ended_ms=row.ended_ms,
        title=one_line(row.title or row.task, _TITLE_LENGTH),
        outcome=row.outcome,
        relation=row.relation,
        messages=row.prompts + row.replies,
        actions=row.actions,
        score=one.score,
        breakdown=one.breakdown,
        paths=[_text(original.path) for original in scene.originals.get(row.id, ())],
        vanishes_ms=scene.vanishes_ms(row.id),
        is_learned=row.id not in scene.unlearned,
    )
