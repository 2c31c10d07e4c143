"""Looking after a store: its sizes, what could not be read, originals that were dropped, giving space back."""

from typing import NamedTuple

import msgspec

from afterwit.engine.archive.remove import settle_dropped
from afterwit.model.errors import DamagedError
from afterwit.store import archive_mark, spool
from afterwit.store.checksums import content_hash
from afterwit.store.layout import Layout
from afterwit.store.rows import files as file_rows
from afterwit.store.rows.files import all_files
from afterwit.store.rows.health import RowCounts, count_rows, database_bytes, problem_rows
from afterwit.store.store import hold_lease, open_store, readonly_database, require


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
    rows: RowCounts
    content_hash: str


def stat(layout: Layout) -> Sizes:
    require(layout)
    with open_store(layout) as store:
        rows = count_rows(store.db)
        waiting_files, waiting_bytes = spool.backlog(layout.spool)
        archived = [row for row in all_files(store.db) if row.has_object]
        held_files = [row for row in archived if not row.is_dropped]
        dropped_files = [row for row in archived if row.is_dropped]
        return Sizes(
            root=str(layout.root),
            database_bytes=database_bytes(layout.database),
            journal_bytes=database_bytes(layout.journal),
            archive_bytes=sum(store.archive.size(row.object_name) for row in held_files),
            original_bytes=sum(row.held_bytes for row in held_files),
            dropped_files=len(dropped_files),
            remains_bytes=sum(store.archive.size(row.object_name) for row in dropped_files),
            spool_files=waiting_files,
            spool_bytes=waiting_bytes,
            journal_entries=store.journal.count(),
            rows=rows,
            content_hash=content_hash(store.db),
        )


class CompactedStore(NamedTuple):
    gained_bytes: int
    faults: list[str]  # archived files that are damaged, and so left alone


def compact(layout: Layout) -> CompactedStore:
    """Joins small frames of the archive and gives unused pages of the database back."""
    require(layout)
    with hold_lease(layout.lease, wait_seconds=60), open_store(layout) as store:
        archive_mark.refuse_older(store)
        settle_dropped(store)
        before = database_bytes(layout.database) + database_bytes(layout.journal)
        gained, faults = 0, list[str]()
        for row in all_files(store.db):
            if row.held_bytes:
                try:
                    gained += store.archive.compact(row.object_name, row.held_bytes)
                except DamagedError as error:
                    faults.append(f"{row.path}: {error}")
        store.db.execute("VACUUM")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.journal.compact()
        return CompactedStore(
            gained + before - database_bytes(layout.database) - database_bytes(layout.journal), faults
        )


class ReadProblem(msgspec.Struct, frozen=True):
    agent: str
    path: str
    offset: int | None
    length: int | None
    reason: str


def problems(layout: Layout, limit: int = 0) -> list[ReadProblem]:
    """The newest files first; 0 means all."""
    with readonly_database(layout) as db:
        return [ReadProblem(*row) for row in problem_rows(db, limit)]


class DroppedOriginal(msgspec.Struct, frozen=True, kw_only=True):
    """One original that is gone. What remains of it is in the archive and the database."""

    agent: str
    path: str
    sessions: list[str]
    bytes: int  # of the original
    dropped_ms: int
    sha256: str
    is_data_loss: bool  # it had not been analysed


def dropped(layout: Layout) -> list[DroppedOriginal]:
    """The latest first."""
    with readonly_database(layout) as db:
        files = file_rows.files_dropped(db)
        names = file_rows.sessions_in(db, [file.id for file in files])
    return [
        DroppedOriginal(
            agent=file.agent,
            path=file.path,
            sessions=[name.native_id for name in names.get(file.id, [])],
            bytes=file.dropped_bytes,
            dropped_ms=file.dropped_ms,
            sha256=file.sha256,
            is_data_loss=file.state == file_rows.LOST,
        )
        for file in files
    ]
