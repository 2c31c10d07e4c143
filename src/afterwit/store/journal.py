"""The journal: what cannot be derived again, as an append-only, hash-chained log, one chain per machine.

Decisions of people, imports, what agents reported, exposures and draws. A database of its own, committed with
`synchronous=FULL`, so that rebuilding or losing the derived database costs no decision. Each entry's hash covers the
one before it: a changed, removed or inserted entry breaks the chain, and `verify` says where. Entries are redacted by
whoever writes them.
"""

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store.database import connect, transaction
from afterwit.store.migrate import migrate, migrations
from afterwit.store.steps import step


class Entry(NamedTuple):
    machine: str
    number: int
    at_ms: int
    kind: str
    body: dict[str, Any]


class Journal:
    """An open journal. Closing it is the caller's job."""

    def __init__(self, path: Path, backups: Path) -> None:
        try:
            self._db = connect(path, durable=True)
            migrate(self._db, migrations("journal_migrations"), backups)
            self.machine = self._machine()
        except DamagedError as error:
            raise DamagedError(
                f"{path} is damaged ({error.__cause__ or error}), and nothing else holds what is in it. Restore it "
                "from a backup, or move it away to go on without the decisions that it holds."
            ) from error

    def append(self, kind: str, body: Mapping[str, Any], at_ms: int) -> int:
        """Adds one entry to this machine's chain, durably. Returns its number."""
        text = msgspec.json.encode(body, order="deterministic").decode()
        with transaction(self._db):
            number, before = self._head()
            row = (self.machine, number + 1, at_ms, kind, text)
            self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (*row, _chained(before, *row)))
            step("a journal entry is written, not committed")
        return number + 1

    def entries(self) -> Iterator[Entry]:
        """All entries in the order in which decisions count: by time, then machine and number."""
        query = "SELECT machine, number, at_ms, kind, body FROM entries ORDER BY at_ms, machine, number"
        for machine, number, at_ms, kind, body in self._db.execute(query):
            try:
                yield Entry(machine, number, at_ms, kind, msgspec.json.decode(body, type=dict[str, Any]))
            except msgspec.DecodeError as error:
                raise DamagedError(f"journal: entry {number} of machine {machine} cannot be read: {error}") from error

    def heads(self) -> dict[str, int]:
        """The number of the last entry of each machine."""
        return dict(self._db.execute("SELECT machine, max(number) FROM entries GROUP BY machine ORDER BY machine"))

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM entries").get)

    def verify(self, applied: Mapping[str, int] = MappingProxyType({})) -> list[str]:
        """What is wrong with the chains; nothing, if all is well. `applied` says up to which entry each machine's
        chain was seen before: only so can the loss of its last entries be noticed."""
        found: list[str] = []
        heads: dict[str, int] = {}
        before, last = "", ("", 0)
        query = "SELECT machine, number, at_ms, kind, body, hash FROM entries ORDER BY machine, number"
        try:
            integrity = self._db.pragma("integrity_check")
            if integrity != "ok":
                found.append(f"journal.db: {integrity}")
            for machine, number, at_ms, kind, body, digest in self._db.execute(query):
                if machine != last[0]:
                    before, last = "", (machine, 0)
                if number != last[1] + 1:
                    found.append(_missing(machine, last[1] + 1, number - 1))
                elif digest != _chained(before, machine, number, at_ms, kind, body):
                    found.append(f"journal: entry {number} of machine {machine} was changed after it was written")
                before, last = digest, (machine, number)
                heads[machine] = number
        except apsw.CorruptError as error:
            found.append(f"journal.db: {error}")
            return found
        for machine, number in sorted(applied.items()):
            if number > heads.get(machine, 0):
                found.append(_missing(machine, heads.get(machine, 0) + 1, number))
        return found

    def compact(self) -> None:
        """Gives unused pages back."""
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is appended inside is there as a whole, or not at all."""
        with transaction(self._db):
            yield

    def close(self) -> None:
        self._db.close()

    def _head(self) -> tuple[int, str]:
        query = "SELECT number, hash FROM entries WHERE machine = ? ORDER BY number DESC LIMIT 1"
        row = self._db.execute(query, (self.machine,)).fetchone()
        return row or (0, "")

    def _machine(self) -> str:
        with transaction(self._db):
            row = self._db.execute("SELECT id FROM machine").fetchone()
            if row is None:
                row = (secrets.token_hex(8),)
                self._db.execute("INSERT INTO machine VALUES (?)", row)
        if not isinstance(row[0], str):
            raise DamagedError("journal.db: the machine's id is damaged")
        return row[0]


def _missing(machine: str, first: int, last: int) -> str:
    which = f"entry {first}" if first == last else f"entries {first} to {last}"
    return f"journal: {which} of machine {machine} cannot be found"


def _chained(before: str, machine: str, number: int, at_ms: int, kind: str, body: str) -> str:
    content = msgspec.json.encode([before, machine, number, at_ms, kind, body])
    return hashlib.sha256(content).hexdigest()
