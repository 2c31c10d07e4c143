"""Looking after a store: is what it holds what was stored, and how much is it?

`check_some` reads some archived files with every run, and all within a week: agents delete their logs, so damage must
be seen while they still have them. What is not as it should be is noted, and the next reading of the agent's log brings
it again, as a new generation. `verify` (`store verify`) looks at everything, with what to do: database, journal,
archive and what lies beside them. The rest is sizes, lists, and giving space back.

A glance at an unchanged store loads this: what reads sessions or the deck is imported where it is needed.
"""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store import archive_mark, journal, spool
from afterwit.store.archive import ArchiveName, generation_of
from afterwit.store.database import UNREADABLE, transaction
from afterwit.store.frames import REMAINS
from afterwit.store.layout import Layout
from afterwit.store.marks import CHECKED, DECK, KEY, MACHINE, fingerprint, forget_last_run, key_mark, mark, put_mark
from afterwit.store.rows import files, parts
from afterwit.store.rows.files import DAMAGED, FileRow, all_files, file_key, files_damaged
from afterwit.store.rows.health import RowCounts, archive_state, count_rows, database_bytes, latest_held, problem_rows
from afterwit.store.store import Store, hold_lease, open_store, readonly_database, require

_MOST_BYTES = 16_000_000  # of originals, in one run
_OPENING_BYTES = 64_000  # that opening a file counts for
_DAYS = 7
_DAY_MS = 86_400_000


def check_some(store: Store, now_ms: int) -> bool:
    """Reads as much of the archive as one run may, and notes what is damaged. Whether anything was found that was not
    noted before."""
    day, last = now_ms // _DAY_MS, mark(store.db, CHECKED).split()
    before, after = (int(number) for number in last) if len(last) == 2 else (0, 0)
    share = files.original_bytes_held(store.db) // _DAYS
    left = max(_MOST_BYTES, share) if day != before else _MOST_BYTES
    has_found = False
    while left >= 0 and (row := files.object_after(store.db, after)) is not None:
        has_found |= bool(checked(store, row)) and row.state != DAMAGED
        after, left = row.id, left - max(row.held_bytes, _OPENING_BYTES)
    put_mark(store.db, CHECKED, f"{day} {after if left < 0 else 0}")
    return has_found


def checked(store: Store, row: FileRow) -> str:
    """The same, noted, so that the next run reads the log again, if the agent still has it. What somebody restored is
    noted, too."""
    fault = object_fault(store, row)
    if bool(fault) == (row.state == DAMAGED):
        return row.error if fault else ""
    fault = f"{fault}. {files.REMEDY}" if fault else ""
    with transaction(store.db):
        files.note_state(store.db, row.id, DAMAGED if fault else files.EVICTED if row.is_dropped else "read", fault)
        if fault and row.role != "transcript":
            files.forget_companion(store.db, row)
        forget_last_run(store.db)
    return fault


def object_fault(store: Store, row: FileRow) -> str:
    """What is wrong with what the archive holds of a file; "" where it is what was archived."""
    if row.id in files.files_leaving(store.db):
        from afterwit.engine.archive.remove import is_leaving  # with all that reads

        if is_leaving(store, row):
            return ""
    try:
        if row.is_dropped:
            from afterwit.model.captured import unpack_remains

            unpack_remains(store.archive.remains(row.object_name))
        elif store.archive.digest(row.object_name, row.held_bytes) != row.sha256:
            return "the bytes are not those that were archived"
        return "" if _has_its_header(store, row) else "the header is not the one that was written"
    except (DamagedError, *UNREADABLE) as error:
        return str(error).rstrip(".")


def _has_its_header(store: Store, row: FileRow) -> bool:
    """Where only the header of a sound original was hit, and the row still names the file, it is written anew."""
    header = store.archive.header(row.object_name)
    agent, label, path = (str(header[name]) for name in ("agent", "label", "path"))
    if is_named := file_key(agent, label + path) == row.key:
        if (header["role"], header["generation"]) == (REMAINS if row.is_dropped else row.role, row.generation):
            return True
    else:
        agent, path = row.agent, row.path
    if row.is_dropped or not (is_named or file_key(agent, label + path) == row.key):
        return False
    names = {"agent": agent, "label": label, "path": path, "role": row.role, "generation": row.generation}
    is_tracked = any(part.facts.is_tracked for part in parts.parts_of_file(store.db, row.id))
    store.archive.compact(row.object_name, row.held_bytes, names | ({"tracked": 1} if is_tracked else {}))
    return True


def still_damaged(store: Store, before: list[FileRow]) -> Iterator[str]:
    """What a run says of files that were damaged before it: which are whole again, and which are not."""
    for row in before:
        now = files.live_file(store.db, row.key)
        if now is not None and now.generation > row.generation and now.state != DAMAGED:
            fault = row.error.removesuffix(files.REMEDY).strip()
            yield f"{row.path} was damaged in the archive ({fault.rstrip('.')}), and was read again from the log."
        elif row.has_object or store.archive.has(row.object_name):
            yield f"{row.path} is damaged in the archive: {row.error}"


class StoreFault(msgspec.Struct, frozen=True):
    """Something that `verify` found. What is harmless needs no repair."""

    where: str  # database, archive, journal, redaction-key, machine, deck, permissions
    what: str
    is_harmless: bool = False


def verify(layout: Layout) -> Iterator[StoreFault]:
    """Checks database, archive and journal. Reads every archived byte."""
    from afterwit.store.checks import database_faults, foreign_permissions

    require(layout)
    with hold_lease(layout.lease, wait_seconds=60), open_store(layout) as store:
        yield from (StoreFault("database", fault) for fault in database_faults(store.db))
        yield from (StoreFault("database", fault) for fault in archive_mark.faults(store))
        lost = (*journal.journal_faults(layout, store.db, store.journal), journal.heads_fault(layout))
        yield from (StoreFault("journal", fault) for fault in lost if fault)
        yield from _archive_faults(store)
        yield from foreign_belongings(store, is_full=True)
        yield from (StoreFault("permissions", fault) for fault in foreign_permissions(layout))


def objects_damaged(store: Store) -> list[FileRow]:
    """Files that the archive does not hold as it should, without those whose object somebody has removed."""
    return [row for row in files_damaged(store.db) if row.has_object or store.archive.has(row.object_name)]


def unknown_objects(store: Store, names: Iterable[ArchiveName]) -> Iterator[StoreFault]:
    """What objects without rows are. What a run left that did not come to its end is harmless, and so is what was
    damaged and read again; anything else is something that the database should know."""
    is_unfinished = archive_mark.is_unfinished(store.archive)
    for name in names:
        is_replaced = latest_held(store.db, name.rpartition("-")[0]) > generation_of(name)
        yield _unknown(store, name, is_unfinished=is_unfinished, is_replaced=is_replaced)


def foreign_belongings(store: Store, *, is_full: bool = False) -> Iterator[StoreFault]:
    """What lies beside the database and is not what it was made with: the redaction key, the machine's id, the deck,
    whose parts are read where everything is to be."""
    if mark(store.db, KEY) not in ("", key_mark(store.key)):
        yield StoreFault(
            "redaction-key",
            f"{store.layout.key.name} is not the key that this store was redacted with, so that the same secret looks"
            " like another one and other sessions are skipped to compare. Restore it from a backup; else"
            " `afterwit store rebuild` redacts all that is archived with the new one",
        )
    if mark(store.db, MACHINE) not in ("", store.journal.machine):
        yield StoreFault(
            "machine",
            f"journal.db says that this machine is {store.journal.machine}, and the database that it is"
            f" {mark(store.db, MACHINE)}, so that what was decided here counts as another machine's. Restore journal.db"
            " from a backup; else `afterwit store rebuild` goes on with the new name",
        )
    if not is_deck_sound(store, is_full=is_full):
        yield StoreFault(
            "deck",
            f"{store.layout.deck.name}, which hooks read, or a part of it is gone or not as it was written, so that"
            " sessions may be told nothing. `afterwit learn` writes it anew",
        )


def is_deck_sound(store: Store, *, is_full: bool = True) -> bool:
    """Whether the deck is byte for byte the one that was written; also where none was written yet. A glance at its
    parts is enough where not everything is to be read. One that is older than the database has only itself to say so:
    the next `learn` writes another in any case."""
    from afterwit.recall.deck.write import dealt_deck

    written, path = mark(store.db, DECK), store.layout.deck
    if not (written or path.exists()):
        return True
    if written and fingerprint(path) not in written.split():
        return False
    try:
        with dealt_deck(path) as deck:
            is_sound = deck.db is not None and deck.db.pragma("integrity_check") == "ok"
            is_sound = is_sound and len(deck.parts) == len(deck.named)
            if not (is_sound and is_full):
                return is_sound
            unsound = [part.file for part in deck.parts.values() if not part.is_sound_in(store.layout.deck_parts)]
            for file in unsound:  # only reading betrays them: with another time the next `learn` reads them, too
                os.utime(store.layout.deck_parts / file)
            return not unsound
    except (apsw.Error, *UNREADABLE):
        return False


def _archive_faults(store: Store) -> Iterator[StoreFault]:
    for row in all_files(store.db):
        if row.has_object and (fault := checked(store, row)):
            yield StoreFault("archive", f"{row.object_name} ({row.path}): {fault.removesuffix('.')}")
        elif row.state == DAMAGED and store.archive.has(row.object_name):
            yield StoreFault("archive", f"{row.object_name} ({row.path}): {row.error}")
    yield from unknown_objects(store, archive_state(store.db, store.archive).unknown)


def _unknown(store: Store, name: ArchiveName, *, is_unfinished: bool, is_replaced: bool) -> StoreFault:
    if not store.archive.has(name):
        return StoreFault(
            "archive", f"{name}: it lies in another folder than {name[:2]}, where it belongs; move it there"
        )
    try:
        held_bytes = 1 if store.archive.is_remains(name) else store.archive.held_bytes(name)[0]
    except DamagedError as error:
        if is_replaced:
            what = f"{name}: damaged, and not used ({error}); a later state of the file is there: delete this one"
            return StoreFault("archive", what, is_harmless=True)
        if store.archive.size(name) and not is_unfinished:
            what = f"{name}: damaged, and unknown to the database ({error}); restore it from a backup, or delete it"
            return StoreFault("archive", what)
        held_bytes = 0
    if held_bytes and not is_unfinished:
        return StoreFault("archive", f"{name}: the database does not know it; `afterwit store rebuild` takes it in")
    what = f"{name}: left by a run that was stopped; `learn` reads its source again, `store rebuild` takes it in"
    return StoreFault("archive", what, is_harmless=True)


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
    from afterwit.store.checks import content_hash

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
    from afterwit.engine.archive.remove import settle_dropped

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
        gone = files.files_dropped(db)
        names = files.sessions_in(db, [file.id for file in gone])
    return [
        DroppedOriginal(
            agent=file.agent,
            path=file.path,
            sessions=[name.native_id for name in names.get(file.id, [])],
            bytes=file.dropped_bytes,
            dropped_ms=file.dropped_ms,
            sha256=file.sha256,
            is_data_loss=file.state == files.LOST,
        )
        for file in gone
    ]
