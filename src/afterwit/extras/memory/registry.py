"""Which memory backends there are, which are configured, and how each is made from the settings.

Others can bring one: an entry point of the group `afterwit.memory_backends` whose name is the backend's and which is a
function from `Surroundings` to a `Backend`. One that cannot be loaded stands in as missing, with the reason: every call
says so. With `null` memory is off: nothing is kept, and nothing is found.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from afterwit.config.extras import entry_points
from afterwit.config.world import World
from afterwit.extras.memory.backend import Availability, Backend, Operation, UnreachableError, UnsupportedError
from afterwit.extras.memory.honcho import HOSTED, HonchoBackend, HonchoPlace
from afterwit.extras.memory.local import LocalBackend, Recorder
from afterwit.extras.memory.postgres import PostgresBackend, PostgresPlace, has_password
from afterwit.model.errors import AfterwitError, ConfigError
from afterwit.model.memory_entry import Entry, Hit, Write
from afterwit.model.settings import MemorySettings
from afterwit.store.decide import catch_up
from afterwit.store.journal import heads_applied
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular
from afterwit.store.store import open_store

_OFF = 'Memory is off (memory.backend = "null"), so nothing is kept. Set it to "local" to keep entries on this machine.'

# ruff: noqa: ARG002 - the arguments are those of the interface


class MissingBackend:
    leaves_machine = False
    privacy = "Nothing is sent as long as it is missing."
    unsupported: Mapping[Operation, str] = {}
    _error: type[AfterwitError] = UnreachableError

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def availability(self) -> Availability:
        return Availability(is_available=False, reason=self._reason)

    def store(self, write: Write, *, is_late: bool = False) -> None:
        raise self._error(self._reason)

    def retrieve(self, user: str, key: str) -> Entry | None:
        raise self._error(self._reason)

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        raise self._error(self._reason)

    def keys(self, user: str, prefix: str = "") -> list[str]:
        raise self._error(self._reason)

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:
        raise self._error(self._reason)

    def close(self) -> None:
        return None


class NullBackend(MissingBackend):
    privacy = "Nothing is stored."
    unsupported: Mapping[Operation, str] = {Operation.STORE: _OFF, Operation.DELETE: _OFF}
    _error = UnsupportedError

    def __init__(self) -> None:
        super().__init__("null", _OFF)

    def retrieve(self, user: str, key: str) -> Entry | None:
        return None

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        return []

    def keys(self, user: str, prefix: str = "") -> list[str]:
        return []


GROUP = "afterwit.memory_backends"
NULL, LOCAL, POSTGRES, HONCHO = "null", "local", "postgres", "honcho"
_OWN = (NULL, LOCAL, POSTGRES, HONCHO)


class BackendSurroundings(NamedTuple):
    """What a backend from elsewhere gets to see."""

    settings: MemorySettings
    environ: Mapping[str, str]
    folder: Path  # of the store; a backend may keep files in a folder of its own below it


class ChosenBackend(NamedTuple):
    name: str
    source: str  # as in `afterwit config show`


def choose_backend(world: World) -> ChosenBackend:
    """The backend to use. The environment goes before the file."""
    name = world.environ.get("AFTERWIT_MEMORY_BACKEND", "").strip()
    if name:
        return ChosenBackend(name, "environment AFTERWIT_MEMORY_BACKEND")
    return ChosenBackend(world.settings.memory.backend, "settings")


def names() -> list[str]:
    """All backends that can be chosen."""
    return [*_OWN, *sorted(point.name for point in entry_points(GROUP) if point.name not in _OWN)]


def not_configured(world: World, name: str) -> str:
    """What is missing before this backend can be used; "" if nothing is."""
    if name == POSTGRES and not _dsn(world):
        return "Set memory.postgres_dsn or AFTERWIT_MEMORY_DSN."
    if name == HONCHO and not _api_key(world) and not world.settings.memory.honcho_base_url:
        return "Set HONCHO_API_KEY, memory.honcho_api_key_file or, for a server of your own, memory.honcho_base_url."
    return ""


def make_backend(world: World, name: str, stack: ExitStack) -> Backend:
    """The backend, to be closed by the stack. Never fails for a reason that is the backend's."""
    backend = _make(world, name, stack)
    stack.callback(backend.close)
    return backend


def local_backend(layout: Layout, stack: ExitStack) -> LocalBackend:
    """The local one, caught up with the journal. Chains have no gaps, so equal counts mean that all is applied; reading
    the whole journal to find that out takes 0.4 s at 100,000 entries."""
    store = stack.enter_context(open_store(layout))
    if store.journal.count() != sum(head.number for head in heads_applied(store.db).values()):
        catch_up(store)
    return LocalBackend(store.db, Recorder(store))


def _make(world: World, name: str, stack: ExitStack) -> Backend:
    if name == NULL:
        return NullBackend()
    if name == LOCAL:
        return local_backend(world.layout, stack)
    missing = not_configured(world, name)
    if missing:
        return MissingBackend(name, f"The memory backend {name!r} is not configured. {missing}")
    if name == POSTGRES:
        return _postgres(world)
    return HonchoBackend(_honcho_place(world)) if name == HONCHO else _from_elsewhere(world, name)


def _postgres(world: World) -> Backend:
    settings = world.settings.memory
    place = PostgresPlace(_dsn(world), settings.postgres_schema, settings.timeout_seconds)
    try:
        if settings.postgres_dsn and has_password(settings.postgres_dsn):
            raise ConfigError(
                "memory.postgres_dsn: a password does not belong into the configuration file, which gets shown."
                " Put it into ~/.pgpass, or the whole string into AFTERWIT_MEMORY_DSN."
            )
    except UnreachableError as error:
        return MissingBackend(POSTGRES, str(error))
    return PostgresBackend(place)


def _honcho_place(world: World) -> HonchoPlace:
    settings = world.settings.memory
    return HonchoPlace(
        base_url=settings.honcho_base_url or HOSTED,
        api_key=_api_key(world),
        workspace=settings.honcho_workspace,
        timeout_seconds=settings.timeout_seconds,
        is_reasoning=settings.honcho_reasoning,
    )


def _from_elsewhere(world: World, name: str) -> Backend:
    point = next((point for point in entry_points(GROUP) if point.name == name), None)
    if point is None:
        return MissingBackend(name, f"There is no memory backend {name!r}. Known: {', '.join(names())}.")
    try:
        make: Callable[[BackendSurroundings], Backend] = point.load()
        return make(BackendSurroundings(world.settings.memory, world.environ, world.layout.root))
    except (ImportError, AttributeError, AfterwitError) as error:
        return MissingBackend(name, f"The memory backend {name!r} cannot be loaded ({error}). Install it again.")


def _dsn(world: World) -> str:
    return world.environ.get("AFTERWIT_MEMORY_DSN") or world.settings.memory.postgres_dsn or ""


def _api_key(world: World) -> str:
    key = world.environ.get("HONCHO_API_KEY", "").strip()
    path = world.settings.memory.honcho_api_key_file
    if key or path is None:
        return key
    try:
        return read_regular(path).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"memory.honcho_api_key_file: {path} cannot be read ({error}). Correct it.") from error
