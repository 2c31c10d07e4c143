"""The local backend: entries in the store's own database, written through the journal.

The journal is the truth, so that entries survive a rebuild of the database. The moment, the entry in the journal and
the change of the database happen under one lock of the database: the order in the journal is the order of the moments.
Killed between the two, the next command that opens the store applies what the journal holds. A query reads a bounded
number of rows for each of its words, the newest ones where a word is common, so that its time does not grow with the
memory.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from heapq import nlargest
from typing import Any

import apsw

from afterwit.extras.memory.backend import Availability, Operation
from afterwit.model.memory_entry import Entry, Hit, Write
from afterwit.store import journal
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decide import catch_up, journal_entry, note_applied, report_if_recorded
from afterwit.store.rows import memory as rows
from afterwit.store.rows.memory import rank, terms_of, weight
from afterwit.store.store import Store

_MOST_ROWS = 300  # for each word of a query
_LEAST_CANDIDATES = 30
Record = Callable[[str, Mapping[str, Any], int], None]


class Recorder:
    """Puts changes into the journal of an open store and applies them, at their moment, or at that of the latest change
    if it is later."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __call__(self, kind: str, body: Mapping[str, Any], at_ms: int) -> None:
        store = self._store
        with report_if_recorded(store), transaction(store.db):
            moment = max(at_ms, rows.clock(store.db))
            entry = journal_entry(store, kind, body, moment)
            step("a change of the memory is in the journal, not applied")
            before = journal.heads_applied(store.db).get(entry.machine)
            if (before.number if before else 0) == entry.number - 1:
                rows.apply(store.db, kind, body, entry.at_ms)
                note_applied(store, entry.machine, entry.number)
            else:
                catch_up(store)
        step("a change of the memory is applied")


class LocalBackend:
    name = "local"
    leaves_machine = False
    privacy = "Everything stays in the store on this machine, readable by you alone."
    unsupported: Mapping[Operation, str] = {}

    def __init__(self, db: apsw.Connection, record: Record) -> None:
        self._db = db
        self._record = record

    def availability(self) -> Availability:
        return Availability(is_available=True, reason="")

    def store(self, write: Write, *, is_late: bool = False) -> None:
        if is_late and self._is_newer(write.user, write.key, write.at_ms):
            return
        body = {"user": write.user, "key": write.key, "value": write.value, "metadata": write.metadata}
        self._record(rows.STORED, body, write.at_ms)

    def retrieve(self, user: str, key: str) -> Entry | None:
        return rows.get(self._db, user, key)

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        weights: dict[str, float] = {}
        sums: defaultdict[int, float] = defaultdict(float)
        for term in terms_of(text):
            holders = rows.newest_with(self._db, user, term, _MOST_ROWS)
            weights[term] = weight(len(holders), _MOST_ROWS)
            for row in holders:
                sums[row] += weights[term]
        best = nlargest(max(3 * limit, _LEAST_CANDIDATES), ((total, row) for row, total in sums.items()))
        return rank(rows.entries(self._db, user, [row for _, row in best]), weights, limit)

    def keys(self, user: str, prefix: str = "") -> list[str]:
        return rows.keys(self._db, user, prefix)

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:
        if rows.get(self._db, user, key) is None or (is_late and self._is_newer(user, key, at_ms)):
            return False
        self._record(rows.DELETED, {"user": user, "key": key}, at_ms)
        return True

    def close(self) -> None:
        return None

    def _is_newer(self, user: str, key: str, at_ms: int) -> bool:
        present = rows.get(self._db, user, key)
        return present is not None and present.updated_ms > at_ms
