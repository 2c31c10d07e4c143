"""Backends that keep nothing: one that is chosen and cannot be had, and none at all, when memory is off.

With the first every call fails with the reason, so that writes wait. The second opens nothing, keeps nothing and finds
nothing, and says so.
"""

from collections.abc import Mapping

from afterwit.memory.backends.backend import Availability, Operation, UnreachableError, UnsupportedError
from afterwit.model.errors import AfterwitError
from afterwit.model.memory_entry import Entry, Hit, Write

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
