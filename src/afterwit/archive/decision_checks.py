"""Whether what was decided stands in the database as the journal says: by applying the journal to an empty one.

Costs nothing but time when somebody asks, and notices whatever happened to those rows. Entries that wait to be applied
are left out. Moments are not compared: an earlier version took them from a clock that may have gone back. A journal
that lacks entries, or holds changed ones, says nothing of the database: whoever asks looks at the journal first.

Whether what lies beside the database is what it was made with: the redaction key, the machine's id, the deck.

Each finding says what follows from it and what to do.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.decisions.journal import apply_entry
from afterwit.model.errors import DamagedError
from afterwit.store.marks import DECK, KEY, MACHINE, fingerprint, key_mark, mark
from afterwit.store.migrate import migrate, migrations
from afterwit.store.rows.applied import applied
from afterwit.store.store import Store


class Foreign(NamedTuple):
    """Something that is not what it was, or not there. Sentences without the last full stop."""

    code: str
    what: str


_COLUMNS = {
    "aliases": "subject, name, target",
    "pins": "agent, native_id",
    "checkouts": "root, remote",
    "item_decisions": "machine, number, kind, item, body",
    "experiment": "session_share, item_share",
    "memory_entries": "user, key, value, metadata",
    "draws": "key, agent, session, context, repo, moment, act, at_ms, is_held, items, text, would",
    "exposures": "agent, session, item, moment, at_ms, is_shown",
}


def decision_faults(store: Store) -> Iterator[str]:
    """Tables that say something else than the journal. A journal that cannot be read is reported by its own check."""
    done = {machine: head.number for machine, head in applied(store.db).items()}
    with closing(apsw.Connection(":memory:")) as db:
        migrate(db, migrations(), Path())
        scratch = Store(store.layout, db, store.archive, store.journal)
        try:
            for entry in store.journal.entries():
                if entry.number <= done.get(entry.machine, 0):
                    apply_entry(scratch, entry)
        except DamagedError:
            return
        for table, columns in _COLUMNS.items():
            if _rows(store.db, table, columns) != _rows(db, table, columns):
                yield f"{table} are not as the journal says; `afterwit store rebuild` applies it again"


def _rows(db: apsw.Connection, table: str, columns: str) -> Sequence[object]:
    try:
        return db.execute(f"SELECT {columns} FROM {table} ORDER BY {columns}").fetchall()  # noqa: S608
    except (apsw.CorruptError, UnicodeDecodeError) as error:
        return [str(error)]


def foreign(store: Store) -> Iterator[Foreign]:
    if mark(store.db, KEY) not in ("", key_mark(store.key)):
        yield Foreign(
            "redaction-key",
            f"{store.layout.key.name} is not the key that this store was redacted with, so that the same secret looks"
            " like another one and sessions are held out anew. Restore it from a backup; else `afterwit store rebuild`"
            " redacts all that is archived with the new one",
        )
    if mark(store.db, MACHINE) not in ("", store.journal.machine):
        yield Foreign(
            "machine",
            f"journal.db says that this machine is {store.journal.machine}, and the database that it is"
            f" {mark(store.db, MACHINE)}, so that what was decided here counts as another machine's. Restore journal.db"
            " from a backup; else `afterwit store rebuild` goes on with the new name",
        )
    if not is_deck_sound(store):
        yield Foreign(
            "deck",
            f"{store.layout.deck.name}, which hooks read, is gone or not as it was written, so that sessions may be"
            " told nothing. `afterwit learn` writes it anew",
        )


def is_deck_sound(store: Store) -> bool:
    """Whether the deck is byte for byte the one that was written; also where none was written yet."""
    known = mark(store.db, DECK)
    return not known or fingerprint(store.layout.deck) in known.split()
