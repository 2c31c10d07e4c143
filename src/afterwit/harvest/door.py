"""Harvests: lets every harvester look at the digests it has not seen, and concludes again what they touched.

Killed anywhere, the next run goes on: what was seen in a session and which matters it touched are written in one
transaction, and a matter stays touched until its drafts are stored. The outcome depends on the set of sessions, not on
the order in which they came. What becomes of the drafts is settled elsewhere; where it has to be is noted with them.

A session that grew touches the matters of which it says something else now; a matter is concluded from its newest
sightings (`harvester.MOST_TELLING`). So what a session costs does not grow with the history.

Sessions that count as one are a *story*: a session with its subagents, forks and resumes, and the same task given
again: nearly the same first prompt in the same repository and on the same branch, soon after. It leads to the same
commands and the same failures, so it is one origin, whichever agent gets it. Short prompts (`continue`, `fix the
tests`) are given for different work, and so are stock prompts on different branches: both stay apart, and so does a
task that comes every few hours. The story of a session depends on the set of sessions alone; one that comes late may
change that of others.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from afterwit.digest.door import SessionQuestion, SharedSessions, load_digest
from afterwit.harvest.harvester import MOST_OTHERS, MOST_TELLING, Harvester, about_hash, id_of, is_general
from afterwit.harvest.registry import harvesters, looks
from afterwit.model.digest import Digest
from afterwit.model.errors import AfterwitError
from afterwit.model.knowledge import Draft, Evidence, Scope, ScopeKind, SessionRef, Sighting
from afterwit.model.learn_run import Progress, in_batches
from afterwit.model.text import regex
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decisions import Forgotten
from afterwit.store.rows import sightings
from afterwit.store.rows.session_list import SessionRow, session_of, session_row
from afterwit.store.rows.sightings import DraftRow, HarvestedRow, MatterKey, SightingRow, same_tasks
from afterwit.store.store import Store

if TYPE_CHECKING:
    from afterwit.capture.workers import Workers

SOON_MS = 12 * 3_600_000
OPENING = 40  # characters at the beginning that must be equal
_FEWEST_WORDS = 8
_SAME = 0.8  # share of words; in the development histories repeats have 0.97 and more, other pairs 0.47 and less
_WORD = regex(r"\w+")
_DEEPEST = 16
_BATCH = 64
_MOST_EVIDENCE = 60  # of each side; more would only repeat
_REF = msgspec.msgpack.Decoder(SessionRef)


class GivenTask(NamedTuple):
    """A task as a session got it."""

    repo: str
    branch: str
    at_ms: int
    task: str


def is_again(later: GivenTask, earlier: GivenTask) -> bool:
    """Whether the later task is the earlier one, given again."""
    return (
        bool(later.repo)
        and (later.repo, later.branch) == (earlier.repo, earlier.branch)
        and 0 <= later.at_ms - earlier.at_ms <= SOON_MS
        and later.task[:OPENING] == earlier.task[:OPENING]
        and _is_same(_words(later.task), _words(earlier.task))
    )


class Tasks:
    """The tasks of sessions that come in order of time, to find out which of them were given before."""

    def __init__(self) -> None:
        self._firsts: defaultdict[tuple[str, str], list[tuple[str, GivenTask]]] = defaultdict(list)

    def first(self, session: str, task: GivenTask) -> str:
        """The session that got this task first: an earlier one that is itself no repeat, or this one."""
        near = self._firsts[task.repo, task.branch]
        near[:] = [(name, earlier) for name, earlier in near if task.at_ms - earlier.at_ms <= SOON_MS]
        for name, earlier in near:
            if is_again(task, earlier):
                return name
        near.append((session, task))
        return session


def _is_same(words: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(words), len(other)) < _FEWEST_WORDS:
        return False
    return words is other or len(words & other) >= _SAME * len(words | other)


@lru_cache(maxsize=512)
def _words(task: str) -> frozenset[str]:
    return frozenset(_WORD.findall(task.casefold()))


def task_hash(row: SessionRow) -> bytes:
    """Changes when anything does that stories depend on: which task was given to a session, when, where and by whom."""
    given = (row.agent, row.native_id, row.parent, row.repo, row.branch, row.started_ms, row.task)
    return hashlib.blake2b(msgspec.msgpack.encode(given), digest_size=12).digest()


def root_of(db: apsw.Connection, row: SessionRow) -> SessionRow:
    """The session at the root of subagents, forks and resumes."""
    for _ in range(_DEEPEST):
        above = session_of(db, row.agent, row.parent) if row.parent else None
        if above is None or above.id == row.id:
            break
        row = above
    return row


class Stories:
    """Names stories, as long as no session comes or goes: each series of the same task is gone through once."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._first: dict[int, str] = {}

    def of(self, row: SessionRow) -> str:
        """The root's id; where its task was given before, that of the session that got it first."""
        root = root_of(self._db, row)
        if root.id not in self._first:
            self._first[root.id] = root.native_id
            self._first.update(self._series(root))
        return self._first[root.id]

    def _series(self, root: SessionRow) -> dict[int, str]:
        if not root.repo or not root.started_ms or len(_words(root.task)) < _FEWEST_WORDS:
            return {}
        tasks = Tasks()
        return {
            task.id: tasks.first(task.native_id, GivenTask(root.repo, root.branch, task.at_ms, task.task))
            for task in same_tasks(self._db, root.id, SOON_MS, OPENING)
        }


def version_of() -> str:
    """Changes whenever something else would be seen."""
    return " ".join(f"{look.name}:{look.version}" for look in looks())


def see_pending(store: Store, progress: Progress | None = None, workers: "Workers | None" = None) -> int:
    """Looks at all sessions that have not been looked at by the present harvesters. Returns how many. What others than
    these concluded is concluded again, also from what is seen as before."""
    version = version_of()
    with transaction(store.db):
        sightings.forget_deleted_sessions(store.db)
        if sightings.is_of_another_version(store.db, version):
            sightings.touch_all(store.db)
        pending = sightings.sessions_to_harvest(store.db, version)
        _tell_near_otherwise(store.db, pending)
    share = SharedSessions(store.db, workers, progress)
    question = SessionQuestion(partial(_to_look_at, store.journal.machine), _look_at)
    for batch in share.answers(pending, question, "looking for notes"):
        with transaction(store.db):
            for seen in batch:
                _keep(store.db, seen)
            step("sightings are written, not committed")
    return len(pending)


def _tell_near_otherwise(db: apsw.Connection, pending: Sequence[int]) -> None:
    """Sessions whose story may be another, because the task of one of these is new or another, are named anew."""
    if not sightings.has_harvested(db):
        return
    moved = [session for session in pending if _is_moved(db, session)]
    if moved:
        sightings.tell_otherwise(db, sightings.sessions_near(db, moved, SOON_MS, OPENING))


def _is_moved(db: apsw.Connection, session: int) -> bool:
    row, before = session_row(db, session), sightings.harvest_of(db, session)
    return row is not None and (before is None or before.given != task_hash(row))


class SessionSeen(NamedTuple):
    """All that was seen in one session."""

    session: HarvestedRow
    rows: list[SightingRow]


class _ToLookAt(NamedTuple):
    session: HarvestedRow
    started_ms: int
    digest: Digest


def _to_look_at(machine: str, db: apsw.Connection, session: int) -> _ToLookAt | None:
    row = session_row(db, session)
    digest = load_digest(db, row) if row is not None else None
    if row is None or digest is None:
        return None
    ref = msgspec.msgpack.encode(_ref_of(db, row, machine, Stories(db)))
    harvested = HarvestedRow(session, version_of(), row.repo, task_hash(row), ref)
    return _ToLookAt(harvested, row.started_ms or 0, digest)


def _look_at(given: _ToLookAt) -> SessionSeen:
    session = given.session
    if session.version != version_of():
        raise AfterwitError("A worker looks for other things than this machine. Install the same version on both.")
    rows = [
        SightingRow(
            look.name,
            grouped.group,
            int(grouped.seen.is_telling),
            given.started_ms,
            session.session_id,
            ordinal,
            msgspec.msgpack.encode(grouped.seen),
        )
        for look in (() if given.digest.is_tracked else looks())
        for ordinal, grouped in enumerate(look.see(given.digest))
    ]
    return SessionSeen(session, rows)


def _keep(db: apsw.Connection, seen: SessionSeen) -> None:
    session, rows = seen
    before = sightings.harvest_of(db, session.session_id)
    sightings.put_seen(db, session, rows, is_other=before is None or before.ref != session.ref)
    if session.repo:  # what holds there ages by the last work there
        sightings.unsettle(db, [str(Scope(ScopeKind.REPO, session.repo))])


def conclude_touched(store: Store, forgotten: Forgotten, progress: Progress | None = None) -> int:
    """Drafts again what follows in every touched matter. Returns how many there were."""
    by_name = {harvester.name: harvester for harvester in harvesters()}
    refs = SessionRefs(store.db, store.journal.machine, forgotten, keeps=True)
    waiting = sightings.matters_touched(store.db)
    for batch in in_batches(waiting, _BATCH, progress, "weighing what was seen", "topics"):
        with transaction(store.db):
            for matter in batch:
                drafts = _conclude(store.db, by_name.get(matter.harvester), matter, refs)
                sightings.put_drafts(store.db, matter, drafts)
            step("drafts are written, not committed")
    return len(waiting)


def _conclude(
    db: apsw.Connection, harvester: Harvester[Any] | None, matter: MatterKey, refs: "SessionRefs"
) -> Iterator[DraftRow]:
    if harvester is None:  # of an earlier version, or nothing is concluded from it
        return
    rows = sightings.sightings_of(db, matter, MOST_TELLING, MOST_OTHERS)
    decode = msgspec.msgpack.Decoder(harvester.seen).decode
    seen = [Sighting(ref, decode(row.body)) for row in rows if (ref := refs.of(row.session_id)) is not None]
    for draft in harvester.conclude(matter.name, seen) if seen else ():
        yield DraftRow(
            id_of(draft),
            matter.harvester,
            matter.name,
            str(draft.scope),
            about_hash(draft),
            int(is_general(draft)),
            msgspec.msgpack.encode(_bound(draft)),
        )


def _bound(draft: Draft) -> Draft:
    """The draft with its latest evidence, and the first, in order of time; what speaks for it before the rest."""
    ordered = sorted(draft.evidence, key=_order)
    sides = ([piece for piece in ordered if piece.is_against is is_against] for is_against in (False, True))
    return msgspec.structs.replace(draft, evidence=tuple(piece for side in sides for piece in _latest(side)))


def _order(piece: Evidence) -> tuple[int, str, str, int]:
    return piece.at_ms, piece.session.agent, piece.session.native_id, piece.at or 0


def _latest(evidence: list[Evidence]) -> list[Evidence]:
    if len(evidence) <= _MOST_EVIDENCE:
        return evidence
    return [evidence[0], *evidence[1 - _MOST_EVIDENCE :]]


class SessionRefs:
    """Sessions as evidence names them; those that are to be forgotten are not there. What a session was named stands
    until its story may be another; who `keeps` names writes them down, within a transaction."""

    def __init__(
        self, db: apsw.Connection, machine: str, forgotten: Forgotten | None = None, *, keeps: bool = False
    ) -> None:
        self._db = db
        self._forgotten = forgotten
        self._keeps = keeps
        self._machine = machine
        self._stories = Stories(db)
        self.of = lru_cache(maxsize=65_536)(self._of)

    def _of(self, session: int) -> SessionRef | None:
        kept = sightings.harvest_of(self._db, session)
        if kept is not None and kept.ref:
            ref = _REF.decode(kept.ref)
        else:
            row = session_row(self._db, session)
            if row is None:
                return None
            ref = _ref_of(self._db, row, self._machine, self._stories)
            if self._keeps:
                sightings.put_ref(self._db, session, msgspec.msgpack.encode(ref))
        return None if self._forgotten is not None and self._forgotten.covers(ref) else ref


def _ref_of(db: apsw.Connection, row: SessionRow, machine: str, stories: Stories) -> SessionRef:
    versions = msgspec.json.decode(row.versions or "[]", type=list[str])
    root = root_of(db, row)
    story = stories.of(root)
    return SessionRef(
        agent=row.agent,
        native_id=row.native_id,
        story=story,
        root=root.native_id if root.native_id != story else "",
        repo=row.repo,
        user=row.user,
        machine=machine,
        version=versions[-1] if versions else "",
        at_ms=row.started_ms or 0,
        worked={"success": True, "failure": False}.get(row.outcome),
    )
