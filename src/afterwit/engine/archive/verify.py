"""`store verify`: what is wrong with the database, the journal, the archive and what lies beside them, and what to do.

Whether decisions stand in the database as the journal says is found by applying the journal to an empty one. Entries
that wait to be applied are left out, and so are moments: an earlier version took them from a clock that may have gone
back. A journal that lacks entries, or holds changed ones, says nothing of the database: it is looked at first.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import msgspec

from afterwit.capture.derived import keys_of
from afterwit.engine.archive.check import checked
from afterwit.model.errors import DamagedError
from afterwit.recall.deck.write import DealtPart, dealt_deck
from afterwit.store import archive_mark, journal
from afterwit.store.archive import ArchiveName, generation_of
from afterwit.store.checksums import database_faults, foreign_permissions
from afterwit.store.database import UNREADABLE, migrate, migrations
from afterwit.store.decide import apply_entry
from afterwit.store.layout import Layout
from afterwit.store.marks import DECK, KEY, MACHINE, fingerprint, key_mark, mark
from afterwit.store.rows.files import DAMAGED, FileRow, all_files, files_damaged
from afterwit.store.rows.health import archive_state, latest_held
from afterwit.store.rows.parts import count_unclaimed, parts_of_file
from afterwit.store.store import Store, hold_lease, open_store, require

_DECIDED = {
    "aliases": "subject, name, target",
    "pins": "agent, native_id",
    "checkouts": "root, remote",
    "item_decisions": "machine, number, kind, item, body",
    "experiment": "session_share, item_share, arms, compared",
    "memory_entries": "user, key, value, metadata",
    "draws": "key, agent, session, context, repo, moment, act, at_ms, is_held, items, text, would, odds, item_odds",
    "exposures": "agent, session, item, moment, at_ms, is_shown",
}


class StoreFault(msgspec.Struct, frozen=True):
    """Something that `verify` found. What is harmless needs no repair."""

    where: str  # database, archive, journal, redaction-key, machine, deck, permissions
    what: str
    is_harmless: bool = False


def verify(layout: Layout) -> Iterator[StoreFault]:
    """Checks database, archive and journal. Reads every archived byte."""
    require(layout)
    with hold_lease(layout.lease, wait_seconds=60), open_store(layout) as store:
        yield from (StoreFault("database", fault) for fault in database_faults(store.db))
        yield from (StoreFault("database", fault) for fault in archive_mark.faults(store))
        lost = journal.journal_faults(layout, store.db, store.journal)
        yield from (StoreFault("database", fault) for fault in (() if lost else decision_faults(store)))
        yield from (StoreFault("database", fault) for fault in _claim_faults(store))
        yield from (StoreFault("journal", fault) for fault in (*lost, journal.heads_fault(layout)) if fault)
        yield from _archive_faults(store)
        yield from foreign_belongings(store, is_full=True)
        yield from (StoreFault("permissions", fault) for fault in foreign_permissions(layout))


def damaged_objects(store: Store) -> list[FileRow]:
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
    written, path = mark(store.db, DECK), store.layout.deck
    if not (written or path.exists()):
        return True
    if written and fingerprint(path) not in written.split():
        return False
    try:
        with dealt_deck(path) as deck:
            is_sound = deck.db is not None and deck.db.pragma("integrity_check") == "ok"
            is_sound = is_sound and len(deck.parts) == len(deck.named)
            return is_sound and not (is_full and _unsound(store.layout.deck_parts, deck.parts.values()))
    except (apsw.Error, *UNREADABLE):
        return False


def _unsound(folder: Path, parts: Iterable[DealtPart]) -> list[DealtPart]:
    """Parts that only reading them betrays. They get another time, so that the next `learn` reads them, too."""
    unsound = [part for part in parts if not part.is_sound_in(folder)]
    for part in unsound:
        os.utime(folder / part.file)
    return unsound


def decision_faults(store: Store) -> Iterator[str]:
    """Tables that say something else than the journal. A journal that cannot be read is reported by its own check."""
    done = {machine: head.number for machine, head in journal.heads_applied(store.db).items()}
    with closing(apsw.Connection(":memory:")) as db:
        migrate(db, migrations(), Path())
        scratch = Store(store.layout, db, store.archive, store.journal)
        try:
            for entry in store.journal.entries():
                if entry.number <= done.get(entry.machine, 0):
                    apply_entry(scratch, entry)
        except DamagedError:
            return
        for table, columns in _DECIDED.items():
            if _rows(store.db, table, columns) != _rows(db, table, columns):
                yield f"{table} are not as the journal says; `afterwit store rebuild` applies it again"


def _rows(db: apsw.Connection, table: str, columns: str) -> Sequence[object]:
    try:
        return db.execute(f"SELECT {columns} FROM {table} ORDER BY {columns}").fetchall()  # noqa: S608
    except (apsw.CorruptError, UnicodeDecodeError) as error:
        return [str(error)]


def _claim_faults(store: Store) -> Iterator[str]:
    """Records of sessions that nobody owns: they would be counted twice when a copy of them comes."""
    for row in all_files(store.db):
        try:
            if row.resume and row.held_bytes and _has_unclaimed(store, row):
                yield f"records of {row.path} belong to nobody; `afterwit store rebuild` makes them again"
        except UNREADABLE as error:
            yield f"what was read of {row.path} cannot be read again ({error}); `afterwit store rebuild` makes it again"


def _has_unclaimed(store: Store, row: FileRow) -> bool:
    held_keys, parts = keys_of(row), parts_of_file(store.db, row.id)
    return any(count_unclaimed(store.db, held_keys.get(part.facts.native_id, [])) for part in parts)


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
