"""Looking after a store: sizes, checks, giving space back.

What could not be read: of files that were read, and files that could not be opened.

The record of originals that were given up for space.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.archive.decision_checks import decision_faults, foreign
from afterwit.archive.remove import is_leaving, settle_leaving
from afterwit.capture.assembly.remains import unpacked
from afterwit.capture.derived import keys_of
from afterwit.model.errors import DamagedError
from afterwit.store import archive_mark, spool
from afterwit.store.archive import ArchiveName, archive_name, generation_of
from afterwit.store.checks import database_faults, foreign_permissions
from afterwit.store.checksums import content_hash
from afterwit.store.database import UNREADABLE
from afterwit.store.layout import Layout
from afterwit.store.lease import held
from afterwit.store.rows import applied, claims
from afterwit.store.rows import originals as raw
from afterwit.store.rows.files import DAMAGED, FileRow, all_files, damaged_files, doomed
from afterwit.store.rows.health import Tally, problem_rows, tally
from afterwit.store.rows.originals import LOST
from afterwit.store.rows.parts import parts_of_file
from afterwit.store.store import Store, opened, readonly_database, require


class DroppedSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One original that is gone. What remains of it is in the archive and the database."""

    agent: str
    path: str
    sessions: list[str]
    bytes: int  # of the original
    dropped_ms: int
    sha256: str
    is_data_loss: bool  # it had not been analysed


class ProblemSeen(msgspec.Struct, frozen=True):
    agent: str
    path: str
    offset: int | None
    length: int | None
    reason: str


class Sizes(msgspec.Struct, kw_only=True):
    """What a store takes and holds, in bytes and rows."""

    root: str
    database_bytes: int
    journal_bytes: int
    archive_bytes: int
    original_bytes: int  # what the archive unpacks to
    dropped_files: int  # transcripts whose original was given up
    remains_bytes: int  # what is kept of them
    spool_files: int
    spool_bytes: int
    journal_entries: int
    rows: Tally
    content_hash: str


def stat(layout: Layout) -> Sizes:
    require(layout)
    with opened(layout) as store:
        rows = tally(store.db)
        waiting_files, waiting_bytes = spool.backlog(layout.spool)
        there = [row for row in all_files(store.db) if row.has_object]
        held_files = [row for row in there if not row.is_dropped]
        dropped_files = [row for row in there if row.is_dropped]
        return Sizes(
            root=str(layout.root),
            database_bytes=_size(layout.database),
            journal_bytes=_size(layout.journal),
            archive_bytes=sum(store.archive.size(_name(row)) for row in held_files),
            original_bytes=sum(row.held_bytes for row in held_files),
            dropped_files=len(dropped_files),
            remains_bytes=sum(store.archive.size(_name(row)) for row in dropped_files),
            spool_files=waiting_files,
            spool_bytes=waiting_bytes,
            journal_entries=store.journal.count(),
            rows=rows,
            content_hash=content_hash(store.db),
        )


class Finding(msgspec.Struct, frozen=True):
    """Something that `verify` found. What is harmless needs no repair."""

    where: str  # database, archive, journal, redaction-key, machine, deck, permissions
    what: str
    is_harmless: bool = False


def verify(layout: Layout) -> Iterator[Finding]:
    """Checks database, archive and journal. Reads every archived byte."""
    require(layout)
    with held(layout.lease, wait_seconds=60), opened(layout) as store:
        yield from (Finding("database", fault) for fault in database_faults(store.db))
        yield from (Finding("database", fault) for fault in archive_mark.faults(store))
        lost = applied.journal_faults(layout, store.db, store.journal)
        yield from (Finding("database", fault) for fault in (() if lost else decision_faults(store)))
        yield from (Finding("database", fault) for fault in _claim_faults(store))
        yield from (Finding("journal", fault) for fault in (*lost, applied.heads_fault(layout)) if fault)
        yield from _archive_faults(store)
        yield from (Finding(one.code, one.what) for one in foreign(store))
        yield from (Finding("permissions", fault) for fault in foreign_permissions(layout))


class Compacted(NamedTuple):
    gained_bytes: int
    faults: list[str]  # archived files that are damaged, and so left alone


def compact(layout: Layout) -> Compacted:
    """Joins small frames of the archive and gives unused pages of the database back."""
    require(layout)
    with held(layout.lease, wait_seconds=60), opened(layout) as store:
        archive_mark.refuse_older(store)
        settle_leaving(store)
        before = _size(layout.database) + _size(layout.journal)
        gained, faults = 0, list[str]()
        for row in all_files(store.db):
            if row.held_bytes:
                try:
                    gained += store.archive.compact(_name(row), row.held_bytes)
                except DamagedError as error:
                    faults.append(f"{row.path}: {error}")
        store.db.execute("VACUUM")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.journal.compact()
        return Compacted(gained + before - _size(layout.database) - _size(layout.journal), faults)


def _claim_faults(store: Store) -> Iterator[str]:
    """Records of sessions that nobody owns: they would be counted twice when a copy of them comes."""
    for row in all_files(store.db):
        try:
            if row.resume and row.held_bytes and _has_unclaimed(store, row):
                yield f"records of {row.path} belong to nobody; `afterwit store rebuild` derives them again"
        except UNREADABLE as error:
            yield f"what was read of {row.path} cannot be read again ({error}); `afterwit store rebuild` derives it"


def _has_unclaimed(store: Store, row: FileRow) -> bool:
    held_keys, parts = keys_of(row), parts_of_file(store.db, row.id)
    return any(claims.unclaimed(store.db, held_keys.get(part.facts.native_id, [])) for part in parts)


def _archive_faults(store: Store) -> Iterator[Finding]:
    for row in all_files(store.db):
        if row.has_object:
            yield from (Finding("archive", fault) for fault in _object_faults(store, row))
        elif row.state == DAMAGED and store.archive.has(_name(row)):
            yield Finding("archive", f"{_name(row)} ({row.path}): {row.error}")
    yield from unknown_objects(store)


def standing_damage(store: Store) -> list[FileRow]:
    """Files that the archive does not hold as it should, without those whose object somebody has removed."""
    return [row for row in damaged_files(store.db) if row.has_object or store.archive.has(_name(row))]


def unknown_objects(store: Store) -> Iterator[Finding]:
    """Objects without rows. What a run left that did not come to its end is harmless, and so is what was damaged and
    read again; anything else is something that the database should know."""
    rows = [row for row in all_files(store.db) if row.has_object or row.state == DAMAGED]
    known, on_their_way = {_name(row) for row in rows}, set(doomed(store.db))
    latest: dict[str, int] = {}
    for row in rows:
        if row.held_bytes:
            latest[row.key.hex()] = max(row.generation, latest.get(row.key.hex(), 0))
    is_unfinished = archive_mark.is_unfinished(store.archive)
    for name in store.archive.names():
        if name not in known and name not in on_their_way:
            is_replaced = latest.get(name.rpartition("-")[0], -1) > generation_of(name)
            yield _unknown(store, name, is_unfinished=is_unfinished, is_replaced=is_replaced)


def _unknown(store: Store, name: ArchiveName, *, is_unfinished: bool, is_replaced: bool) -> Finding:
    if not store.archive.has(name):
        return Finding("archive", f"{name}: it lies in another folder than {name[:2]}, where it belongs; move it there")
    try:
        held_bytes = 1 if store.archive.is_remains(name) else store.archive.held_bytes(name)[0]
    except DamagedError as error:
        if is_replaced:
            what = f"{name}: damaged, and not used ({error}); a later generation of the file is there: delete this one"
            return Finding("archive", what, is_harmless=True)
        if store.archive.size(name) and not is_unfinished:
            what = f"{name}: damaged, and unknown to the database ({error}); restore it from a backup, or delete it"
            return Finding("archive", what)
        held_bytes = 0
    if held_bytes and not is_unfinished:
        return Finding("archive", f"{name}: the database does not know it; `afterwit store rebuild` takes it in")
    what = f"{name}: left by a run that was stopped; `learn` reads its source again, `store rebuild` takes it in"
    return Finding("archive", what, is_harmless=True)


def _object_faults(store: Store, row: FileRow) -> Iterator[str]:
    name = _name(row)
    try:
        if row.is_dropped:
            unpacked(store.archive.remains(name))
        elif not is_leaving(store, row) and row.state == DAMAGED:
            yield f"{name} ({row.path}): {row.error}"
        elif not is_leaving(store, row) and store.archive.digest(name, row.held_bytes) != row.sha256:
            yield f"{name} ({row.path}): the bytes are not those that were archived"
    except DamagedError as error:
        yield f"{name} ({row.path}): {error}"


def _name(row: FileRow) -> ArchiveName:
    return archive_name(row.key, row.generation)


def _size(path: Path) -> int:
    """Of a database with its write-ahead log. Only `stat`s them: opening would drop SQLite's locks."""
    beside = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in beside if file.exists())


def problems(layout: Layout, limit: int = 0) -> list[ProblemSeen]:
    """The newest files first; 0 means all."""
    with readonly_database(layout) as db:
        return [ProblemSeen(*row) for row in problem_rows(db, limit)]


def dropped(layout: Layout) -> list[DroppedSeen]:
    """The latest first."""
    with readonly_database(layout) as db:
        found = raw.dropped_files(db)
        names = raw.sessions_in(db, [one.id for one in found])
    return [
        DroppedSeen(
            agent=one.agent,
            path=one.path,
            sessions=[name.native_id for name in names.get(one.id, [])],
            bytes=one.dropped_bytes,
            dropped_ms=one.dropped_ms,
            sha256=one.sha256,
            is_data_loss=one.state == LOST,
        )
        for one in found
    ]
