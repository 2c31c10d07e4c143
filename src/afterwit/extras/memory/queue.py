"""A backend that may fail, with a queue before it: no write is lost, and every detour is told.

A write that the backend cannot take now waits in a database of its own, over any number of commands, and every later
call first tries to deliver what waits, in order. Until then readers see the waiting writes as if they had arrived.
Killed between sending and noting that it arrived, a write is sent again, which changes nothing there. One that the
backend rejects for good is set aside with the reason, so that it neither blocks the others nor is lost. What was
delivered is overwritten on the disk, not only unlinked. While the backend does not answer, reads come from the
fallback, with the reason; after a failure it is left alone for a while, so that nobody waits for it at every call.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw
import msgspec

from afterwit.extras.memory.backend import Backend, BackendError, RejectedError, UnsupportedError
from afterwit.model.errors import BusyError, StoreError
from afterwit.model.memory_entry import Entry, Hit, Plain, Write
from afterwit.store.atomic import step
from afterwit.store.database import connect, transaction, translate_error
from afterwit.store.rows.memory import search
from afterwit.store.store import hold_lease

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
_PAUSE_MS = 30_000
_T = TypeVar("_T")
Clock = Callable[[], int]
_metadata = msgspec.json.Decoder(dict[str, Plain])


class WaitingWrite(NamedTuple):
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


_COLUMNS = WaitingWrite._fields


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

    def first(self) -> WaitingWrite | None:
        """The one to send next."""
        return next(self._waiting("ORDER BY id LIMIT 1"), None)

    def latest(self, user: str) -> dict[str, WaitingWrite]:
        """What waits for this user, the latest for each key."""
        return {write.key: write for write in self._waiting("AND user = ? ORDER BY id", user)}

    def remove(self, write: WaitingWrite) -> None:
        """It was delivered."""
        with transaction(self._db):
            self._db.execute("DELETE FROM waiting WHERE id = ?", (write.id,))
        step("a write is delivered and no longer waits")

    def set_aside(self, write: WaitingWrite, reason: str) -> None:
        with transaction(self._db):
            self._db.execute("UPDATE waiting SET rejection = ? WHERE id = ?", (reason, write.id))

    def list_rejected(self) -> list[SetAside]:
        query = "SELECT user, key, rejection FROM waiting WHERE backend = ? AND rejection != '' ORDER BY id"
        return [SetAside(*row) for row in self._db.execute(query, (self._backend,))]

    def counts(self) -> dict[str, int]:
        """How many writes wait, by backend."""
        return dict(self._db.execute("SELECT backend, count(*) FROM waiting GROUP BY backend ORDER BY backend"))

    def close(self) -> None:
        self._db.close()

    def _waiting(self, which: str, *values: str) -> Iterator[WaitingWrite]:
        query = f"SELECT {', '.join(_COLUMNS)} FROM waiting WHERE backend = ? AND rejection = '' {which}"  # noqa: S608
        for row in self._db.execute(query, (self._backend, *values)):
            write = WaitingWrite(*row)
            yield write._replace(metadata=_metadata.decode(row[_COLUMNS.index("metadata")]))

    def _add(self, user: str, key: str, value: str | None, metadata: dict[str, Plain], at_ms: int) -> None:
        text = msgspec.json.encode(metadata, order="deterministic").decode()
        with transaction(self._db):
            query = f"INSERT INTO waiting (backend, {', '.join(_COLUMNS[1:])}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608
            self._db.execute(query, (self._backend, user, key, value, text, at_ms))
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
        with closing(Queue(path, "")) as queue:
            return queue.counts()
    except apsw.Error as error:
        raise translate_error(error, path) from error


class Detour(NamedTuple):
    """Whether a write waits, and the reason of a detour; "" if there was none."""

    is_waiting: bool
    reason: str


class QueueingBackend:
    """One user's way to a backend that may fail."""

    def __init__(
        self, backend: Backend, fallback: Callable[[], Backend], queue: Queue, lock: Path, clock: Clock
    ) -> None:
        self._backend = backend
        self._fallback = fallback
        self._queue = queue
        self._lock = lock
        self._clock = clock
        self._failure = ""
        self._failed_ms = 0

    @property
    def reason(self) -> str:
        """Why the backend is not used just now; "" if it is."""
        return self._failure

    def store(self, write: Write) -> Detour:
        return self._write(lambda: self._backend.store(write), lambda: self._queue.put(write))

    def delete(self, user: str, key: str, at_ms: int) -> tuple[bool, Detour]:
        """Whether there was such an entry, as far as can be known now."""
        present = self._queue.latest(user).get(key)
        was_there: list[bool] = []
        told = self._write(
            lambda: was_there.append(self._backend.delete(user, key, at_ms)),
            lambda: self._queue.put_deletion(user, key, at_ms),
        )
        if was_there:
            return was_there[0], told
        is_known = present.value is not None if present else self._fallback().retrieve(user, key) is not None
        return is_known, told

    def retrieve(self, user: str, key: str) -> Entry | None:
        self.deliver()
        waiting = self._queue.latest(user).get(key)
        return waiting.entry if waiting else self._read(lambda backend: backend.retrieve(user, key))

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        self.deliver()
        waiting = self._queue.latest(user)
        hits = self._read(lambda backend: backend.query(user, text, limit))
        kept = [hit for hit in hits if hit.entry.key not in waiting]
        newer = [entry for write in waiting.values() if (entry := write.entry)]
        return (search(newer, text, limit) + kept)[:limit]

    def keys(self, user: str, prefix: str = "") -> list[str]:
        self.deliver()
        waiting = self._queue.latest(user)
        keys = set(self._read(lambda backend: backend.keys(user, prefix))) - waiting.keys()
        keys.update(key for key, write in waiting.items() if write.value is not None and key.startswith(prefix))
        return sorted(keys)

    def deliver(self) -> int:
        """Sends what waits, as long as the backend takes it. Returns how much arrived."""
        count = 0
        if self._is_paused() or self._queue.first() is None:
            return count
        try:
            with hold_lease(self._lock):
                while (write := self._queue.first()) is not None:
                    try:
                        if write.value is None:
                            self._backend.delete(write.user, write.key, write.at_ms, is_late=True)
                        else:
                            self._backend.store(write.write, is_late=True)
                    except (RejectedError, UnsupportedError) as error:
                        self._queue.set_aside(write, str(error))
                        continue
                    step("a write is delivered, and still waits")
                    self._queue.remove(write)
                    count += 1
        except BusyError:
            self._fail("Another run is delivering what waits. Yours follows.")
        except BackendError as error:
            self._fail(str(error))
        return count

    def _write(self, send: Callable[[], None], keep: Callable[[], None]) -> Detour:
        self.deliver()
        if not self._is_paused():
            try:
                send()
            except RejectedError:
                raise
            except BackendError as error:
                self._fail(str(error))
            else:
                return Detour(is_waiting=False, reason="")
        try:
            keep()
        except StoreError as error:
            raise type(error)(f"Nothing was stored. {self._failure} It could not wait here either: {error}") from error
        return Detour(is_waiting=True, reason=self._failure)

    def _read(self, read: Callable[[Backend], _T]) -> _T:
        if not self._is_paused():
            try:
                return read(self._backend)
            except BackendError as error:
                self._fail(str(error))
        return read(self._fallback())

    def _is_paused(self) -> bool:
        if self._failure and self._clock() - self._failed_ms >= _PAUSE_MS:
            self._failure = ""
        return bool(self._failure)

    def _fail(self, reason: str) -> None:
        self._failure = reason
        self._failed_ms = self._clock()
