"""Which sessions to read or harvest first: every session gets a score by one of two schemes, and the best are chosen.

Scores come from the facts of whole sessions. Transcripts that are not learned yet go through `learn` itself, inside a
transaction that is rolled back, and are counted in. Where the originals lie, and when their agents will delete them, is
looked up on the disk. A folder of logs from elsewhere is looked at alone, in a store of its own. Writes nothing that
stays.
"""

import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.agents import registry
from afterwit.agents.prompt_history import HISTORY
from afterwit.capture.logs import look_into, retention_in, vanishes_at
from afterwit.capture.plan import Pending, homes, plan, plan_folder
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.digest.value import (
    PointFacts,
    RepoNames,
    SampleCandidate,
    choose,
    findings_of,
    firsts,
    points_of,
)
from afterwit.engine.sweep import sweep_into
from afterwit.model.errors import BusyError
from afterwit.model.learn_run import Options, Progress
from afterwit.model.settings import Settings
from afterwit.repos.folders import root_name
from afterwit.sessions.filters import Filter, fits_repo, known_repos, refuse_unknown_repos, selection_of, short_id
from afterwit.sessions.list import Session
from afterwit.sources.discovery import list_home
from afterwit.store.layout import Layout
from afterwit.store.rows.files import file_key, files_by_session
from afterwit.store.rows.session_list import Selection, SessionRow, select_sessions
from afterwit.store.store import hold_lease, readonly_database, rehearse_store

_LEAST_SHARE = 0.1  # of a session that ran elsewhere
_PATTERN = frozenset("*?[")
_SOON_MS = 7 * 86_400_000
_NO_TIME = -1
_SAMPLED = (
    *("id", "native_id", "agent", "repo", "started_ms", "ended_ms", "title", "outcome", "relation"),
    *("messages", "actions"),
)


class SessionShare(NamedTuple):
    row: SessionRow
    repo_share: float | None  # None where no repository was asked for


class Scheme(StrEnum):
    """How sessions are scored."""

    VALUE = "value"
    POINTS = "points"


class SampleRequest(NamedTuple):
    """Which sessions to choose from, and how many to choose."""

    scheme: Scheme = Scheme.VALUE
    filter: Filter = Filter()
    most: int = 0  # 0: all
    top_percent: float = 100.0  # of those that the filter means
    min_score: float = 0.0
    folder: Path | None = None  # of logs, to choose from them alone


class Sampled(NamedTuple):
    """A session that was chosen, and why."""

    session: Session
    score: float
    breakdown: dict[str, float]  # what the score is the sum of
    paths: list[str]  # the originals, as far as they are where the agent keeps them
    vanishes_ms: int | None  # when the agent will delete the first of them
    is_learned: bool  # the store holds it as it is now
    repo_share: float | None = None  # of it that is about the repository that was asked for

    def as_json(self) -> dict[str, Any]:
        """The stable shape."""
        return self.session.view(_SAMPLED) | {name: getattr(self, name) for name in self._fields[1:]}


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    scheme: Scheme
    sessions: list[Sampled]
    found: int  # how many the filter means
    unlearned_files: int  # transcripts that the store does not hold, or not as they are now
    has_unlearned: bool  # whether these were scored too; not while another run is at work

    def as_json(self) -> dict[str, Any]:
        """The stable shape."""
        return {**msgspec.structs.asdict(self), "sessions": [sampled.as_json() for sampled in self.sessions]}


def sample(world: World, wanted: SampleRequest, progress: Progress) -> Sample:
    """The sessions with the highest scores, the best first."""
    apart = rehearsal(world, progress) if wanted.folder is None else rehearsal_of_folder(world, wanted.folder, progress)
    with apart as rehearsed:
        scene = _scene(world, rehearsed, is_folder=wanted.folder is not None)
        shares = {share.row.id: share for share in sessions_about(rehearsed.db, world.settings, wanted.filter)}
        rows = [share.row for share in shares.values()]
        ranked = _by_points(scene, rows) if wanted.scheme is Scheme.POINTS else _by_value(scene, rows)
        most = math.ceil(round(len(rows) * wanted.top_percent / 100, 6))
        chosen = islice(ranked, min(most, wanted.most) if wanted.most else most)
        return Sample(
            scheme=wanted.scheme,
            sessions=[
                _sampled(scene, scored, shares[scored.row.id].repo_share)
                for scored in takewhile(lambda scored: scored.score >= wanted.min_score, chosen)
            ],
            found=len(rows),
            unlearned_files=scene.unlearned_files,
            has_unlearned=rehearsed.has_pending,
        )


class Rehearsed(NamedTuple):
    """What there is to look at."""

    db: apsw.Connection
    pending: list[Pending]  # transcripts that `learn` has not read, or not as they are now
    has_pending: bool  # whether those are in the database too


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
    unlearned_files: int

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


def _scene(world: World, rehearsed: Rehearsed, *, is_folder: bool) -> _Scene:
    """Of a folder nobody deletes anything, and a session of it that was learned from elsewhere is learned."""
    pending = {file.key for file in rehearsed.pending}
    on_disk = dict(_in_folder(rehearsed) if is_folder else _on_disk(world))
    files = files_by_session(rehearsed.db)
    originals = {session: [on_disk[key] for key in keys if key in on_disk] for session, keys in files.items()}
    if not is_folder:
        unlearned = frozenset(session for session, keys in files.items() if not pending.isdisjoint(keys))
        return _Scene(rehearsed, world.now_ms, originals, unlearned, len(pending))
    learned = _learned(world)
    rows = select_sessions(rehearsed.db, Selection())
    unlearned = frozenset(row.id for row in rows if (row.agent, row.native_id) not in learned)
    return _Scene(rehearsed, world.now_ms, originals, unlearned, sum(len(originals.get(own, ())) for own in unlearned))


def _in_folder(rehearsed: Rehearsed) -> Iterator[tuple[bytes, _Original]]:
    for file in rehearsed.pending:
        yield file.key, _Original(file.home.folder / file.unit.transcript.path, None)


def _learned(world: World) -> frozenset[tuple[str, str]]:
    """The sessions that the store holds."""
    if not world.layout.exists():
        return frozenset()
    with readonly_database(world.layout) as db:
        return frozenset((row.agent, row.native_id) for row in select_sessions(db, Selection()))


def _on_disk(world: World) -> Iterator[tuple[bytes, _Original]]:
    """The transcripts of all agents that are on this machine now, by the key of their file."""
    for home in homes(world.settings, world.user_home):
        agent, reader = registry.agent(home.agent, world.declared), registry.reader_for(home.agent, world.declared)
        kept = retention_in(home)
        for unit in look_into(list_home(home.folder, agent.follows), agent, reader).units:
            transcript, key = unit.transcript, file_key(home.agent, home.label + str(unit.transcript.path))
            if transcript.path != HISTORY:
                yield key, _Original(home.folder / transcript.path, vanishes_at(home, kept, transcript))


def _by_points(scene: _Scene, rows: list[SessionRow]) -> Iterator[_Scored]:
    """Which session is the first of its repository is settled over all sessions, not only the ones asked for."""
    first = firsts(_facts(row) for row in select_sessions(scene.rehearsed.db, Selection()))
    scored = []
    for row in rows:
        facts = _facts(row)
        score = points_of(facts, is_first=facts.name in first, now_ms=scene.now_ms)
        scored.append(_Scored(row, score.total, {name: float(part) for name, part in score._asdict().items()}))
    return iter(sorted(scored, key=lambda scored: (-scored.score, _latest_first(scored.row))))


def _by_value(scene: _Scene, rows: list[SessionRow]) -> Iterator[_Scored]:
    by_order = {_latest_first(row): row for row in rows}
    digests = ((order, row, load_digest(scene.rehearsed.db, row)) for order, row in by_order.items())
    candidates = (
        SampleCandidate(order, () if digest is None else findings_of(digest), scene.is_vanishing(row.id))
        for order, row, digest in digests
    )
    for choice in choose(candidates):
        parts = {aspect.value: part for aspect, part in choice.value.by_aspect.items()}
        parts |= {"vanishing": choice.value.vanishing}
        yield _Scored(by_order[choice.candidate.order], choice.value.total, parts)


def _facts(row: SessionRow) -> PointFacts:
    messages = row.prompts + row.replies
    return PointFacts(
        row.agent, row.native_id, row.repo, row.started_ms, row.ended_ms, messages, row.actions, row.outcome
    )


def _latest_first(row: SessionRow) -> tuple[int, str, str]:
    return -(_NO_TIME if row.started_ms is None else row.started_ms), row.native_id, row.agent


def _sampled(scene: _Scene, scored: _Scored, share: float | None) -> Sampled:
    row = scored.row
    originals = scene.originals.get(row.id, ())
    return Sampled(
        session=Session(row, short_id(scene.rehearsed.db, row.native_id)),
        score=scored.score,
        breakdown=scored.breakdown,
        paths=[os.fsencode(original.path).decode("utf-8", "replace") for original in originals],
        vanishes_ms=scene.vanishes_ms(row.id),
        is_learned=row.id not in scene.unlearned,
        repo_share=share,
    )


@contextmanager
def rehearsal(world: World, progress: Progress) -> Iterator[Rehearsed]:
    """The database with all that is on the disk. While another run is at work: with what has been learned so far."""
    with ExitStack() as stack:
        pending: list[Pending] = []
        is_there = world.layout.exists()
        if is_there:
            with readonly_database(world.layout) as db:
                pending = _pending(world, db)
        is_needed = bool(pending) or not is_there
        is_busy = False
        if is_needed and is_there:  # others could write to it
            try:
                stack.enter_context(hold_lease(world.layout.lease))
            except BusyError:
                is_busy = True
        if is_needed and not is_busy:
            store = stack.enter_context(rehearse_store(world.layout))
            pending = _pending(world, store.db)
            sweep_into(world, Options(is_dry_run=True), store, progress)
            yield Rehearsed(store.db, pending, has_pending=True)
        else:
            yield Rehearsed(stack.enter_context(readonly_database(world.layout)), pending, has_pending=not is_needed)


@contextmanager
def rehearsal_of_folder(world: World, folder: Path, progress: Progress) -> Iterator[Rehearsed]:
    """A database with what is in this folder, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="afterwit-") as place:
        apart = world._replace(layout=Layout(Path(place) / "store"))
        with rehearse_store(apart.layout) as store:
            pending = [
                file
                for agent in plan_folder(store.db, list_home(folder), declared=world.declared)
                for file in agent.pending
            ]
            sweep_into(apart, Options(folder=folder, is_dry_run=True), store, progress)
            yield Rehearsed(store.db, pending, has_pending=True)


def _pending(world: World, db: apsw.Connection) -> list[Pending]:
    plans = plan(db, homes(world.settings, world.user_home), declared=world.declared)
    return [file for agent in plans for file in agent.pending]


def sessions_about(db: apsw.Connection, settings: Settings, wanted: Filter) -> list[SessionShare]:
    """The sessions that the filter means, each with the share that is about its repositories: a session belongs to the
    one that it ran in, and to every other about which a part of it was done."""
    rows = select_sessions(db, selection_of(db, settings, wanted._replace(repos=())))
    if not wanted.repos:
        return [SessionShare(row, None) for row in rows]
    meant = (repo for repo in known_repos(db) if fits_repo(repo, wanted.repos))
    names = RepoNames((*meant, *(name for name in wanted.repos if _PATTERN.isdisjoint(name))))
    shares = [_share_of(db, row, names, is_own=fits_repo(row.repo, wanted.repos)) for row in rows]
    about = [share for share in shares if share is not None]
    if not about:
        refuse_unknown_repos(db, wanted.repos)
    return about


def _share_of(db: apsw.Connection, row: SessionRow, names: RepoNames, *, is_own: bool) -> SessionShare | None:
    digest = load_digest(db, row)
    folder = root_name(row.root) if is_own else ""
    share = names.share_of(digest, is_own=is_own, folder=folder) if digest is not None else float(is_own)
    return SessionShare(row, share) if is_own or share >= _LEAST_SHARE else None
