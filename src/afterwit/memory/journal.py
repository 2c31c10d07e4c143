"""Changes of the local memory, through the journal.

The moment, the entry in the journal and the change of the database happen under one lock of the database: the order in
the journal is the order of the moments, so that a rebuild gives the same entries. Killed between the two, the next
command that opens the store applies what the journal holds.
"""

from collections.abc import Mapping
from typing import Any

from afterwit.decisions.journal import catch_up, journalled, note_applied, told_if_recorded
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.rows import applied
from afterwit.store.rows import memory as rows
from afterwit.store.store import Store


class Recorder:
    """Records changes in one open store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __call__(self, kind: str, body: Mapping[str, Any], at_ms: int) -> None:
        store = self._store
        with told_if_recorded(store), transaction(store.db):
            moment = max(at_ms, rows.clock(store.db))
            entry = journalled(store, kind, body, moment)
            step("a change of the memory is in the journal, not applied")
            before = applied.applied(store.db).get(entry.machine)
            if (before.number if before else 0) == entry.number - 1:
                rows.apply(store.db, kind, body, entry.at_ms)
                note_applied(store, entry.machine, entry.number)
            else:
                catch_up(store)
        step("a change of the memory is applied")
