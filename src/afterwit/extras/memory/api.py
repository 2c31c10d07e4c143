"""User memory, the Python API: one user's entries in the chosen backend.

    with memory(world) as mine:
        mine.store("editor.indent", "two spaces in YAML")

Every answer carries a `reason` where the backend failed and something else was done: a write that waits, a read from
the local entries. `null` and `local` need neither queue nor fallback and get none.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import msgspec

from afterwit.config.world import World
from afterwit.extras.memory import queue
from afterwit.extras.memory.backend import Backend
from afterwit.extras.memory.queue import Detour, Queue, QueueingBackend
from afterwit.extras.memory.registry import LOCAL, NULL, choose_backend, local_backend, make_backend, not_configured
from afterwit.model.errors import ConfigError
from afterwit.model.memory_entry import Entry, Hit, Plain, Write, check_key, check_limit, check_user, check_write
from afterwit.store.layout import Layout

_NO_DETOUR = Detour(is_waiting=False, reason="")
Clock = Callable[[], int]


class StoreAnswer(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    is_waiting: bool
    reason: str = ""


class Retrieved(msgspec.Struct, frozen=True, kw_only=True):
    entry: Entry | None
    reason: str = ""


class QueryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    hits: list[Hit]
    reason: str = ""


class Keys(msgspec.Struct, frozen=True, kw_only=True):
    keys: list[str]
    reason: str = ""


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    is_deleted: bool  # False: there was no such entry
    is_waiting: bool
    reason: str = ""


class Info(msgspec.Struct, frozen=True, kw_only=True):
    backend: str
    source: str
    user: str
    is_available: bool
    reason: str
    leaves_machine: bool
    privacy: str
    unsupported: dict[str, str]
    waiting: dict[str, int]  # writes, by backend
    set_aside: list[queue.SetAside]  # writes that the backend does not take


class Memory:
    """One user's entries. Made by `memory`."""

    def __init__(self, backend: Backend, queueing: QueueingBackend | None, user: str, clock: Clock) -> None:
        self._backend = backend
        self._queueing = queueing
        self._user = user
        self._clock = clock
        self._last_ms = 0

    @property
    def backend(self) -> Backend:
        return self._backend

    @property
    def user(self) -> str:
        return self._user

    def store(self, key: str, value: str, metadata: Mapping[str, Plain] | None = None) -> StoreAnswer:
        at_ms = self._moment()
        write = check_write(Write(user=self._user, key=key, value=value, metadata=dict(metadata or {}), at_ms=at_ms))
        if self._queueing:
            detour = self._queueing.store(write)
        else:
            self._backend.store(write)
            detour = _NO_DETOUR
        return StoreAnswer(key=key, is_waiting=detour.is_waiting, reason=detour.reason)

    def retrieve(self, key: str) -> Retrieved:
        check_key(key)
        entry = (self._queueing or self._backend).retrieve(self._user, key)
        return Retrieved(entry=entry, reason=self._reason())

    def query(self, text: str, limit: int = 10) -> QueryAnswer:
        check_limit(limit)
        hits = (self._queueing or self._backend).query(self._user, text, limit)
        return QueryAnswer(hits=hits, reason=self._reason())

    def keys(self, prefix: str = "") -> Keys:
        keys = (self._queueing or self._backend).keys(self._user, prefix)
        return Keys(keys=keys, reason=self._reason())

    def delete(self, key: str) -> Deleted:
        check_key(key)
        at_ms = self._moment()
        if self._queueing:
            is_deleted, detour = self._queueing.delete(self._user, key, at_ms)
        else:
            is_deleted, detour = self._backend.delete(self._user, key, at_ms), _NO_DETOUR
        return Deleted(key=key, is_deleted=is_deleted, is_waiting=detour.is_waiting, reason=detour.reason)

    def deliver(self) -> int:
        """Sends what waits. Returns how many writes arrived."""
        return self._queueing.deliver() if self._queueing else 0

    def _reason(self) -> str:
        return self._queueing.reason if self._queueing else ""

    def _moment(self) -> int:
        """Now; never the same moment twice, so that writes have an order."""
        self._last_ms = max(self._clock(), self._last_ms + 1)
        return self._last_ms


@contextmanager
def memory(world: World, user: str | None = None, clock: Clock | None = None) -> Iterator[Memory]:
    """The memory of a user: by default, the one that the settings name, else who is logged in."""
    with ExitStack() as stack:
        backend = make_backend(world, choose_backend(world).name, stack)
        ticking = clock or _system_clock
        queueing = None if backend.name in (NULL, LOCAL) else _open_queue(world, backend, stack, ticking)
        yield Memory(backend, queueing, user_of(world, user), ticking)


def preferences(world: World, user: str | None, prefix: str, most: int) -> list[Entry]:
    """The first entries whose keys begin so: what a session is told of its user."""
    with memory(world, user) as mine:
        entries = [mine.retrieve(key).entry for key in mine.keys(prefix).keys[:most]]
    return [entry for entry in entries if entry is not None]


def info(world: World, user: str | None = None) -> Info:
    """What is in use, and what waits. Tries to deliver that first."""
    name, source = choose_backend(world)
    with memory(world, user) as mine:
        mine.deliver()
        availability = mine.backend.availability()
        missing = not_configured(world, name)
        return Info(
            backend=name,
            source=source,
            user=mine.user,
            is_available=availability.is_available,
            reason=availability.reason,
            leaves_machine=mine.backend.leaves_machine and not missing,
            privacy=mine.backend.privacy,
            unsupported={str(operation): why for operation, why in mine.backend.unsupported.items()},
            waiting=queue.counts(_queue_path(world.layout)),
            set_aside=_set_aside(world, name),
        )


def user_of(world: World, named: str | None = None) -> str:
    login = (world.environ.get(name) for name in ("USER", "LOGNAME", "USERNAME"))
    user = named or world.settings.memory.user or next(filter(None, login), world.user_home.name)
    if not user:
        raise ConfigError("Nobody is logged in by name. Set memory.user, or name one with --user.")
    check_user(user)
    return user


def _open_queue(world: World, backend: Backend, stack: ExitStack, clock: Clock) -> QueueingBackend:
    layout = world.layout
    layout.create()
    waiting = Queue(_queue_path(layout), backend.name)
    stack.callback(waiting.close)
    opened: list[Backend] = []

    def fallback() -> Backend:
        if not opened:
            opened.append(local_backend(layout, stack))
        return opened[0]

    return QueueingBackend(backend, fallback, waiting, layout.root / "memory.lock", clock)


def _set_aside(world: World, name: str) -> list[queue.SetAside]:
    path = _queue_path(world.layout)
    if not path.exists():
        return []
    with closing(Queue(path, name)) as waiting:
        return waiting.list_rejected()


def _queue_path(layout: Layout) -> Path:
    return layout.root / "memory-queue.db"


def _system_clock() -> int:
    return time.time_ns() // 1_000_000
