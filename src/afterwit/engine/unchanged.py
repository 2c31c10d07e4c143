"""Tells at a glance whether there is anything to learn: whether all that the last whole run was made from is as it was.

That is: the files in the agents' homes, the settings, our own code, the journal, what hosts tell every session already,
the checkouts with their commits and indexes, and the day. What a run does is a function of these and of the store, and
whoever changes the store otherwise forgets the mark. Time counts by the day, so whatever is overlooked here is noticed
the next day. Costs a `stat` per file and a look at a part of the archive, and loads nothing that only a run needs.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from afterwit.agents.registry import agents_with
from afterwit.capture.checkouts import checkouts, every_checkout, git_checkouts
from afterwit.config.world import World
from afterwit.engine.archive.upkeep import check_some
from afterwit.knowledge.door.host_files import present
from afterwit.knowledge.door.listeners import own_names
from afterwit.model.errors import BusyError
from afterwit.model.learn_run import AgentReport, Harvested, Report
from afterwit.sources.checkout import work_mark
from afterwit.sources.discovery import HomeListing, list_home
from afterwit.store.archive_mark import mark_of, refuse_older
from afterwit.store.database import transaction
from afterwit.store.journal import heads_fault, refuse_lost
from afterwit.store.marks import LastRun, fingerprint, forget_last_run, last_run, note_without_news, put_last_run
from afterwit.store.spool import backlog
from afterwit.store.store import Store, hold_lease, open_store

_DAY_MS = 86_400_000


class FilesLook:
    """A look at the agents' files, when it is first asked for: before they are read, so that what changes meanwhile is
    seen by the next run. Our own code, which may be replaced while a run is at work, is looked at with them."""

    def __init__(self, world: World) -> None:
        self._world = world

    @cached_property
    def listings(self) -> dict[tuple[str, Path], HomeListing]:
        """By agent and home."""
        _code()
        agents = {agent.name: agent for agent in agents_with(self._world.declared)}
        enabled = ((name, own.homes) for name, own in self._world.settings.agents.items() if own.enabled)
        return {(name, folder): list_home(folder, agents[name].follows) for name, homes in enabled for folder in homes}

    @cached_property
    def marks(self) -> list[bytes]:
        return [listing.mark for _, listing in sorted(self.listings.items())]


def nothing_new(world: World, look: FilesLook | None = None) -> Report | None:
    """The report of a run that would find nothing to do; None where there is something to do, or another run at
    work. The run may go on with the same look."""
    look = look or FilesLook(world)
    if not world.layout.database.exists():
        return None
    try:
        with hold_lease(world.layout.lease), open_store(world.layout) as store:
            refuse_lost(store.layout, store.db, store.journal)
            refuse_older(store)
            report = _as_before(store, world, look) if _has_marks(store) else None
            if report is not None and check_some(store, world.now_ms):
                report = None
            if report is not None:
                note_without_news(store.db, world.now_ms)
    except (BusyError, msgspec.DecodeError):  # a body of another version is no mark
        return None
    return None if _has_backlog(world) else report  # of a run that found the lease held, and left


def _as_before(store: Store, world: World, look: FilesLook) -> Report | None:
    before = last_run(store.db)
    if before is None or _has_backlog(world):
        return None
    return msgspec.json.decode(before.body, type=Report) if before.mark == _mark(store, world, look) else None


def _has_marks(store: Store) -> bool:
    """Without them there is something to do: they are written again."""
    return mark_of(store.archive) is not None and not heads_fault(store.layout)


def _has_backlog(world: World) -> bool:
    return bool(backlog(world.layout.spool)[0])


def forget_mark(store: Store) -> None:
    """For whoever is about to change the store, so that one who dies leaves no mark."""
    with transaction(store.db):
        forget_last_run(store.db)


def put_run_mark(store: Store, world: World, look: FilesLook, report: Report) -> None:
    """Marks what a whole run was made from, unless the next one has something to try again, or to ask of others, or
    something came while this one was at work. The look is the one that the run went by."""
    from afterwit.knowledge.door.settle import is_settled
    from afterwit.store.rows.files import files_lost_unread

    if report.has_failures or _has_evicted(report) or world.settings.recall.preferences or files_lost_unread(store.db):
        return
    if any(world.layout.trees.glob("*.new")):  # an index that is to be gone on with
        return
    body = msgspec.json.encode(_is_unchanged(report))
    with transaction(store.db):  # in which no agent tells anything
        mark = _mark(store, world, look)
        if is_settled(store, world):
            put_last_run(store.db, LastRun(mark, body))


def _has_evicted(report: Report) -> bool:
    """Whether the next run finds less to give up, or fails at the same again."""
    return report.evicted is not None and bool(report.evicted.dropped or report.evicted.has_failed)


def _is_unchanged(report: Report) -> Report:
    """What the same run reports a second time."""
    agents = [
        AgentReport(
            agent=agent.agent,
            discovered=agent.discovered,
            unchanged=agent.discovered - agent.no_reader,
            no_reader=agent.no_reader,
        )
        for agent in report.agents
    ]
    standing = {name: getattr(report.harvested, name) for name in ("items", "active", "waiting", "needs_approval")}
    return Report(
        agents=agents,
        sessions=report.sessions,
        harvested=Harvested(**standing),
        evicted=report.evicted,
        is_connected=report.is_connected,
        excluded=report.excluded,
        excluded_stored=report.excluded_stored,
        own=report.own,
    )


def _mark(store: Store, world: World, look: FilesLook) -> str:
    made_from = [
        _code(),
        [world.settings, world.declared, str(world.user_home), sys.executable],
        own_names(world.environ, world.user_home),
        world.now_ms // _DAY_MS,
        look.marks,
        store.journal.heads(),
        [fingerprint(world.layout.deck), _parts(world.layout.deck_parts)],
        [_stat(world.layout.templates)],
        list(_hosts(store, world)),
    ]
    plain = msgspec.to_builtins(made_from, enc_hook=str, order="deterministic")
    content = json.dumps(plain).encode()  # of any path, also one that is no UTF-8
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _hosts(store: Store, world: World) -> Iterator[Any]:
    """What checkouts and homes on this machine hold that matters to items and to what hooks say of files. A file that
    goes without git being told is noticed the next day."""
    places = checkouts(store, world)
    yield from present(world, places)
    yield every_checkout(store, world, places)
    yield [(checkout.repo, work_mark(checkout.git_dir)) for checkout in git_checkouts(store, world, places)]
    yield sorted(index.name for index in world.layout.trees.glob("*.db"))


def _parts(folder: Path) -> list[tuple[str, int, int]]:
    """The parts of the deck, with the time of any change: nobody can turn it back."""
    stats = ((path.name, path.lstat()) for path in folder.glob("*"))
    return sorted((name, about.st_size, about.st_ctime_ns) for name, about in stats)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_size, about.st_mtime_ns, about.st_ino


@cache
def _code() -> str:
    """Our own files, as they are while this process runs."""
    content = repr(sorted(_sources(str(Path(__file__).parents[1])))).encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                about = entry.stat()
                yield entry.path, about.st_size, about.st_mtime_ns
            elif entry.name != "__pycache__":
                yield from _sources(entry.path)
