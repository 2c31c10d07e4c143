"""Writes that wait for a backend: durable, in order, in a database of their own.

A write stays until its backend has taken it, over any number of commands. Killed between the two, it is sent again,
which changes nothing there. One that its backend rejects for good is set aside with the reason, so that it neither
blocks the others nor is lost. What was delivered is overwritten on the disk, not only unlinked.
"""

from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.errors import StoreError
from afterwit.model.memory_entry import Entry, Plain, Write
from afterwit.store.atomic import step
from afterwit.store.database import connect, transaction, translated

_SCHEMA = """
CREATE TABLE waiting (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    backend TEXT NOT NULL,
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT, -- NULL: the key is to be deleted
    metadata TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    rejection TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX waiting_by_key ON waiting (backend, user, key);
PRAGMA user_version = 1;
"""
_VERSION = 1
_metadata = msgspec.json.Decoder(dict[str, Plain])


class Waiting(NamedTuple):
    id: int
    user: str
    key: str
    value: str | None  # None: the key is to be deleted
    metadata: dict[str, Plain]
    at_ms: int

    @property
    def write(self) -> Write:
        assert self.value is not None
        return Write(user=self.user, key=self.key, value=self.value, metadata=self.metadata, at_ms=self.at_ms)

    @property
    def entry(self) -> Entry | None:
        """What a reader finds under the key once this is delivered."""
        if self.value is None:
            return None
        return Entry(
            key=self.key, value=self.value, metadata=self.metadata, created_ms=self.at_ms, updated_ms=self.at_ms
        )


class SetAside(msgspec.Struct, frozen=True):
    """A write that its backend does not take."""

    user: str
    key: str
    reason: str


class Queue:
    """The queue of all backends, of which one object serves one."""

    def __init__(self, path: Path, backend: str) -> None:
        self._path = path
        self._backend = backend
        self._db = connect(path, durable=True)
        try:
            self._db.execute("PRAGMA secure_delete = ON")
            with transaction(self._db):
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def put(self, write: Write) -> None:
        self._add(write.user, write.key, write.value, write.metadata, write.at_ms)

    def put_deletion(self, user: str, key: str, at_ms: int) -> None:
        self._add(user, key, None, {}, at_ms)

    def first(self) -> Waiting | None:
        """The one to send next."""
        query = """SELECT id, user, key, value, metadata, at_ms FROM waiting
                   WHERE backend = ? AND rejection = '' ORDER BY id LIMIT 1"""
        row = self._db.execute(query, (self._backend,)).fetchone()
        return None if row is None else _waiting(*row)

    def latest(self, user: str) -> dict[str, Waiting]:
        """What waits for this user, the latest for each key."""
        query = """SELECT id, user, key, value, metadata, at_ms FROM waiting
                   WHERE backend = ? AND user = ? AND rejection = '' ORDER BY id"""
        found = (_waiting(*row) for row in self._db.execute(query, (self._backend, user)))
        return {one.key: one for one in found}

    def done(self, one: Waiting) -> None:
        """It was delivered."""
        with transaction(self._db):
            self._db.execute("DELETE FROM waiting WHERE id = ?", (one.id,))
        step("a write is delivered and no longer waits")

    def set_aside(self, one: Waiting, reason: str) -> None:
        with transaction(self._db):
            self._db.execute("UPDATE waiting SET rejection = ? WHERE id = ?", (reason, one.id))

    def rejected(self) -> list[SetAside]:
        query = "SELECT user, key, rejection FROM waiting WHERE backend = ? AND rejection != '' ORDER BY id"
        return [SetAside(*row) for row in self._db.execute(query, (self._backend,))]

    def counts(self) -> dict[str, int]:
        """How many writes wait, by backend."""
        return dict(self._db.execute("SELECT backend, count(*) FROM waiting GROUP BY backend ORDER BY backend"))

    def close(self) -> None:
        self._db.close()

    def _add(self, user: str, key: str, value: str | None, metadata: dict[str, Plain], at_ms: int) -> None:
        text = msgspec.json.encode(metadata, order="deterministic").decode()
        with transaction(self._db):
            self._db.execute(
                """INSERT INTO waiting (backend, user, key, value, metadata, at_ms)
                   VALUES (:backend, :user, :key, :value, :metadata, :at_ms)""",
                {
                    "backend": self._backend,
                    "user": user,
                    "key": key,
                    "value": value,
                    "metadata": text,
                    "at_ms": at_ms,
                },
            )
            step("a write is about to wait, not committed")

    def _prepare(self) -> None:
        version = self._db.pragma("user_version")
        if version == 0:
            self._db.execute(_SCHEMA)
        elif version != _VERSION:
            raise StoreError(
                f"{self._path} was written by a newer afterwit (schema {version}, this one knows {_VERSION})."
                " Upgrade afterwit."
            )


def counts(path: Path) -> dict[str, int]:
    """How many writes wait, by backend, without making the queue if there is none."""
    if not path.exists():
        return {}
    try:
        queue = Queue(path, "")
    except apsw.Error as error:
        raise translated(error, path) from error
    try:
        return queue.counts()
    finally:
        queue.close()


def _waiting(number: int, user: str, key: str, value: str | None, metadata: str, at_ms: int) -> Waiting:
    return Waiting(number, user, key, value, _metadata.decode(metadata), at_ms)
