"""`sessions delete`: erases sessions, with their subagents and all that is known only from them; and `learn --again`,
which lets an erased session be read once more.

Planned first, as data: what goes, what stays although somebody may think otherwise, and which files of agents hold it.
Then the logs go, if that is wanted, then the decision is journalled, without any content, together with the words that
earlier entries lose, and `engine.archive.erase` does the rest. Until the journal has it, nothing in the store has
changed; from then on the next run finishes what this one does not. It cannot be undone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.hook_payloads import RUN
from afterwit.agents.prompt_history import UNNAMED
from afterwit.agents.registry import agents_with, gatherers_for
from afterwit.capture.derived import COMPANION, Origin, origin_in, parts_held
from afterwit.capture.left_out import LeftOutSessions
from afterwit.capture.plan import homes
from afterwit.config.world import World, rules_for
from afterwit.engine.archive.erase import (
    AffectedFile,
    Eraser,
    finish_erasing,
    leftovers,
    log_of,
    notes_files,
    set_aside,
)
from afterwit.engine.archive.remove import settle_dropped
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import DamagedError, UsageError
from afterwit.model.knowledge import Item
from afterwit.sessions.filters import Filter, find_session, selection_of
from afterwit.store import archive_mark
from afterwit.store.decide import SESSIONS_WANTED, Erasure, bodies_after_erasure, catch_up, decide, report_if_recorded
from afterwit.store.decisions import KnowledgeEntry
from afterwit.store.journal import refuse_lost
from afterwit.store.rows import erased
from afterwit.store.rows.erased import session_key
from afterwit.store.rows.files import FileRow, all_files
from afterwit.store.rows.parts import copiers_of, parts_of_file
from afterwit.store.rows.session_list import (
    SessionRow,
    forks_of,
    select_sessions,
    session_row,
    sessions_at,
    subagents_of,
)
from afterwit.store.store import Store, hold_lease, open_store, require
from afterwit.store.template_files import templates_of

_WAIT_SECONDS = 60
_AROUND_MS = 120_000  # between a call in a log and what it left in the journal
_TOOL = "afterwit"
_DAY_MS = 86_400_000


class DeleteRequest(NamedTuple):
    """Which sessions are meant: these, and all that the filter chooses."""

    names: Sequence[str] = ()
    chosen: Filter = Filter()
    is_excluded: bool = False  # those that the settings leave out, too
    takes_logs: bool = False


class DeletedSession(msgspec.Struct, frozen=True, kw_only=True):
    agent: str
    session: str
    repo: str
    title: str
    started_ms: int | None
    is_subagent: bool


class AgentLog(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an agent that holds a session which goes."""

    path: str
    bytes: int
    is_deleted: bool
    why_kept: str = ""


class LostNote(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    fact: str


class Deletion(msgspec.Struct, kw_only=True):
    """What goes, or went."""

    sessions: list[DeletedSession]
    archived_files: int
    archived_bytes: int  # as the archive has them
    notes: list[LostNote]  # that nothing else supports
    weakened: int  # notes that lose some of their evidence
    copied_in: list[str]  # sessions that stay, and went on from one that goes: their logs may repeat its history
    told_in: list[str]  # sessions that stay and were told one of the notes: their own logs may repeat it
    logs: list[AgentLog]
    backups: int  # copies of the database that go
    set_aside: list[str]  # stores of before a restore: these stay, and may hold what goes
    notes_files: list[str]  # of agents that read a file of ours: it is emptied
    templates: list[str]  # that were made of one of the sessions: they go with it
    is_dry_run: bool = False
    is_finished: bool = True  # False: somebody read the store, so that its last bytes go with the next run


def delete(
    world: World, wanted: DeleteRequest, agree: Callable[[Deletion], bool], *, is_dry_run: bool = False
) -> Deletion | None:
    """Erases, if `agree` says so to the plan. None: it did not."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        archive_mark.refuse_older(store)
        catch_up(store)
        if not is_dry_run:
            settle_dropped(store)
            finish_erasing(store, world)
        deleting = _Deleting(world, store, wanted)
        planned = deleting.plan(is_dry_run=is_dry_run)
        if is_dry_run or not planned.sessions:
            return planned
        if not agree(planned):
            return None
        with report_if_recorded(store):
            planned.is_finished = deleting.carry_out()
        return planned


def want_again(world: World, names: Sequence[str]) -> None:
    """Sessions that were erased may be read again. Each is given by its whole id."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        present = erased.keys_of_erased(store.db)
        agents = [agent.name for agent in agents_with(world.declared)]
        keys = [_key_of(name, agents, present) for name in names]
        body = {"sessions": [key.hex() for key in keys]}
        with report_if_recorded(store):
            decide(store, SESSIONS_WANTED, body, world.now_ms)


def _key_of(name: str, agents: Iterable[str], present: frozenset[bytes]) -> bytes:
    keys = (session_key(agent, name) for agent in agents)
    key = next((key for key in keys if key in present), None)
    if key is None:
        raise UsageError(
            f"No session {name!r} was deleted. Give its whole id, as the agent has it: of a deleted session nothing"
            " else is kept. One that was never deleted is read by `afterwit learn` alone."
        )
    return key


class _Deleting:
    """One plan, and its carrying out."""

    def __init__(self, world: World, store: Store, wanted: DeleteRequest) -> None:
        self._world = world
        self._store = store
        self._wanted = wanted
        self._families = _families(store, _roots(world, store, wanted))
        self._rows = list({row.id: row for family in self._families for row in family}.values())
        self._names = frozenset((row.agent, row.native_id) for row in self._rows)
        self._keys = [[session_key(row.agent, row.native_id) for row in family] for family in self._families]
        self._add_unnamed()
        every_key = frozenset(key for family in self._keys for key in family)
        self._eraser = Eraser(store, rules_for(world, store), every_key)
        self._files = self._eraser.find_affected() if every_key else []
        self._items = list(all_items(store.db))
        self._logs: list[Path] = []

    def plan(self, *, is_dry_run: bool) -> Deletion:
        self._refuse_inseparable()
        losing = [item for item in self._items if self._touches(item)]
        gone = [item for item in losing if self._is_gone(item)]
        objects = [row for file in self._files for row in (file.row, *file.companions)]
        return Deletion(
            sessions=[_delete(row) for row in self._rows],
            archived_files=len(objects),
            archived_bytes=sum(self._store.archive.size(row.object_name) for row in objects),
            notes=[LostNote(id=item.id, fact=item.sentence) for item in gone],
            weakened=len(losing) - len(gone),
            copied_in=self._copy_in(),
            told_in=self._told_in(item.id for item in losing),
            logs=list(self._agent_logs()),
            backups=len(leftovers(self._store.layout)),
            set_aside=[str(path) for path in set_aside(self._store.layout)],
            notes_files=[path.stem for path in notes_files(self._store.layout)],
            templates=[path.stem for path in templates_of(self._store.layout, chain.from_iterable(self._keys))],
            is_dry_run=is_dry_run,
        )

    def carry_out(self) -> bool:
        """Returns whether every byte is gone."""
        for path in self._logs:
            path.unlink(missing_ok=True)
        refuse_lost(self._store.layout, self._store.db, self._store.journal)
        body = {"families": [[key.hex() for key in family] for family in self._keys]}
        changed = bodies_after_erasure(self._store.journal.entries(), self._erasure())
        self._store.journal.erase(body, changed, self._world.now_ms)
        catch_up(self._store)
        return finish_erasing(self._store, self._world)

    def _refuse_inseparable(self) -> None:
        """Sessions that lie in one file with others, and cannot be told from them there."""
        for file in self._files:
            if not self._eraser.can_take_apart(file):
                others = ", ".join(sorted(file.others)[:5]) + (", …" if len(file.others) > 5 else "")
                raise UsageError(
                    f"{min(file.gone)} lies in one file with other sessions, and they cannot be taken apart: {others}."
                    " Name these too, to delete them all."
                )

    def _add_unnamed(self) -> None:
        """Prompts of these sessions that a history keeps without naming the session: all of that folder and day."""
        folders = {(row.agent, row.cwd, day) for row in self._rows for day in _days(row)}
        if not folders:
            return
        for file in all_files(self._store.db):
            facts = parts_held(file.resume) if file.resume and file.held_bytes and not file.is_dropped else []
            for part in facts:
                day = (part.first_ms or 0) // _DAY_MS
                if part.native_id.startswith(UNNAMED) and (file.agent, part.cwd, day) in folders:
                    self._keys[0].append(session_key(file.agent, part.native_id))

    def _erasure(self) -> Erasure:
        ids = {row.id for row in self._rows}
        elsewhere = {place.root for place in self._places() if place.id not in ids}
        return Erasure(
            sessions=self._names,
            repos=frozenset(row.repo for row in self._rows),
            roots=frozenset(row.root for row in self._rows) - elsewhere,
            items=frozenset(name for item in self._items if self._is_gone(item) for name in (item.id, *item.merged)),
            clean_items=frozenset(item.id for item in self._items if not self._touches(item)),
            entries=frozenset(self._written()),
        )

    def _places(self) -> Iterator[SessionRow]:
        for place in erased.places_of_sessions(self._store.db):
            row = session_row(self._store.db, place.id)
            if row is not None:
                yield row

    def _written(self) -> Iterator[tuple[str, int]]:
        """Entries that an agent wrote through the MCP server, which often does not know its session: those of the
        sessions that ran then."""
        kinds = (KnowledgeEntry.LESSON, KnowledgeEntry.REPORTED)
        for entry in self._store.journal.entries():
            if entry.kind in kinds and (teller := _teller(entry.body)).get("native_id", "").startswith(RUN):
                agent, repo = str(teller.get("agent", "")), str(teller.get("repo", ""))
                known_agent = agent if any(agent == row.agent for row in self._rows) else ""
                around = (entry.at_ms - _AROUND_MS, entry.at_ms + _AROUND_MS)
                running = sessions_at(self._store.db, known_agent, repo, *around, _TOOL)
                callers = [session for session in running if session.has_called] or running
                if any((caller.session.agent, caller.session.native_id) in self._names for caller in callers):
                    yield entry.machine, entry.number

    def _touches(self, item: Item) -> bool:
        return any((piece.session.agent, piece.session.native_id) in self._names for piece in item.evidence)

    def _is_gone(self, item: Item) -> bool:
        """Whether nothing else speaks for it."""
        left = (piece for piece in item.evidence if (piece.session.agent, piece.session.native_id) not in self._names)
        return self._touches(item) and not any(not piece.is_against for piece in left)

    def _copy_in(self) -> list[str]:
        owners = [file.row.id for file in self._files]
        copiers = {copier for owner in owners for copier in copiers_of(self._store.db, owner)} - set(owners)
        parts = (part for copier in copiers for part in parts_of_file(self._store.db, copier))
        gone = {row.id for row in self._rows}
        copies = {part.facts.native_id for part in parts if part.session_id not in gone}
        forks = {name for row in self._rows for name in forks_of(self._store.db, row.agent, row.native_id)}
        return sorted(copies | forks - {name for _, name in self._names})

    def _told_in(self, items: Iterable[str]) -> list[str]:
        told = erased.sessions_shown(self._store.db, items)
        return sorted(session for agent, session in told if (agent, session) not in self._names)

    def _agent_logs(self) -> Iterator[AgentLog]:
        folders = {(home.agent, home.label): home.folder for home in homes(self._world.settings, self._world.user_home)}
        for file in self._files:
            for row in (file.row, *file.companions):
                origin = self._origin(row) if row.is_live else None
                home = folders.get((origin.agent, origin.label)) if origin else None
                if origin is not None and home is not None:
                    yield from self._agent_log(file, row, origin, home)

    def _agent_log(self, file: AffectedFile, row: FileRow, origin: Origin, home: Path) -> Iterator[AgentLog]:
        path = log_of(origin, home)
        if path is None:
            if any(gatherer.renders(origin.path) for gatherer in gatherers_for(origin.agent)):
                why = f"what {origin.agent} keeps in a database or in many files is never edited"
                yield AgentLog(path=str(home / origin.path), bytes=0, is_deleted=False, why_kept=why)
            return
        if row.role == COMPANION and file.others:
            return
        why = "holds other sessions too" if file.others else "" if self._wanted.takes_logs else "--log-too deletes logs"
        if not why:
            self._logs.append(path)
        yield AgentLog(path=str(path), bytes=path.stat().st_size, is_deleted=not why, why_kept=why)

    def _origin(self, row: FileRow) -> Origin | None:
        try:
            return origin_in(self._store.archive.header(row.object_name))
        except DamagedError:
            return None


def _roots(world: World, store: Store, wanted: DeleteRequest) -> list[SessionRow]:
    rows = [find_session(store.db, name) for name in wanted.names]
    if wanted.chosen != Filter():
        rows += select_sessions(store.db, selection_of(store.db, world.settings, wanted.chosen))
    if wanted.is_excluded:
        excluded = (session_row(store.db, place.id) for place in LeftOutSessions(world, store).stored())
        rows += [row for row in excluded if row is not None]
    return list({row.id: row for row in rows}.values())


def _families(store: Store, roots: Sequence[SessionRow]) -> list[list[SessionRow]]:
    """Each session with its subagents, theirs, and so on. One that is another's comes with that."""
    families: list[list[SessionRow]] = []
    for root in roots:
        family = {root.id: root}
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            new = [row for row in subagents_of(store.db, parent.agent, parent.native_id) if row.id not in family]
            family.update((row.id, row) for row in new)
            waiting += new
        families.append(list(family.values()))
    return families


def _days(row: SessionRow) -> range:
    first = (row.started_ms or 0) // _DAY_MS
    return range(first, (row.ended_ms or row.started_ms or 0) // _DAY_MS + 1)


def _teller(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Who wrote an entry, as it says itself."""
    if "session" in body:
        return dict(body["session"])
    evidence = body.get("draft", {}).get("evidence") or [{}]
    return dict(evidence[0].get("session", {}))


def _delete(row: SessionRow) -> DeletedSession:
    return DeletedSession(
        agent=row.agent,
        session=row.native_id,
        repo=row.repo,
        title=row.title or row.task,
        started_ms=row.started_ms,
        is_subagent=row.relation == "subagent",
    )
