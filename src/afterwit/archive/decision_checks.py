"""Whether what was decided stands in the database as the journal says: by applying the journal to an empty one.

Costs nothing but time when somebody asks, and notices whatever happened to those rows. Entries that wait to be applied
are left out. Moments are not compared: an earlier version took them from a clock that may have gone back. A journal
that lacks entries, or holds changed ones, says nothing of the database: whoever asks looks at the journal first.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import apsw

from afterwit.decisions.journal import apply_entry
from afterwit.model.errors import DamagedError
from afterwit.store.migrate import migrate, migrations
from afterwit.store.rows.applied import applied
from afterwit.store.store import Store

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
