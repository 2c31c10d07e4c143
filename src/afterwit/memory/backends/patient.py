"""A backend that may fail, made patient: no write is lost, and every detour is told.

A write that the backend cannot take now waits in the queue, and every later call first tries to deliver what waits, in
order. Until then readers see the waiting writes as if they had arrived. While the backend does not answer, reads come
from the fallback, with the reason. After a failure it is left alone for a while, so that nobody waits for it at every
call.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from afterwit.memory.backends.backend import Backend
from afterwit.memory.backends.errors import BackendError, RejectedError, UnsupportedError
from afterwit.memory.backends.queue import Queue
from afterwit.model.errors import BusyError, StoreError
from afterwit.model.memory_entry import Entry, Hit, Write
from afterwit.store.atomic import step
from afterwit.store.lease import held
from afterwit.store.rows.memory import search

_PAUSE_MS = 30_000
_T = TypeVar("_T")
Clock = Callable[[], int]


class Told(NamedTuple):
    """Whether a write waits, and the reason of a detour; "" if there was none."""

    is_waiting: bool
    reason: str


class Patient:
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

    def store(self, write: Write) -> Told:
        return self._write(lambda: self._backend.store(write), lambda: self._queue.put(write))

    def delete(self, user: str, key: str, at_ms: int) -> tuple[bool, Told]:
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
        found = self._read(lambda backend: backend.query(user, text, limit))
        kept = [hit for hit in found if hit.entry.key not in waiting]
        newer = [entry for one in waiting.values() if (entry := one.entry)]
        return (search(newer, text, limit) + kept)[:limit]

    def keys(self, user: str, prefix: str = "") -> list[str]:
        self.deliver()
        waiting = self._queue.latest(user)
        found = set(self._read(lambda backend: backend.keys(user, prefix))) - waiting.keys()
        found.update(key for key, one in waiting.items() if one.value is not None and key.startswith(prefix))
        return sorted(found)

    def deliver(self) -> int:
        """Sends what waits, as long as the backend takes it. Returns how much arrived."""
        count = 0
        if self._is_paused() or self._queue.first() is None:
            return count
        try:
            with held(self._lock):
                while (one := self._queue.first()) is not None:
                    try:
                        if one.value is None:
                            self._backend.delete(one.user, one.key, one.at_ms, is_late=True)
                        else:
                            self._backend.store(one.write, is_late=True)
                    except (RejectedError, UnsupportedError) as error:
                        self._queue.set_aside(one, str(error))
                        continue
                    step("a write is delivered, and still waits")
                    self._queue.done(one)
                    count += 1
        except BusyError:
            self._fail("Another run is delivering what waits. Yours follows.")
        except BackendError as error:
            self._fail(str(error))
        return count

    def _write(self, send: Callable[[], None], keep: Callable[[], None]) -> Told:
        self.deliver()
        if not self._is_paused():
            try:
                send()
            except RejectedError:
                raise
            except BackendError as error:
                self._fail(str(error))
            else:
                return Told(is_waiting=False, reason="")
        try:
            keep()
        except StoreError as error:
            raise type(error)(f"Nothing was stored. {self._failure} It could not wait here either: {error}") from error
        return Told(is_waiting=True, reason=self._failure)

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
