"""No memory: the backend when memory is off. It opens nothing, keeps nothing and finds nothing, and says so.

Stands in for a backend that is chosen and cannot be had: every call fails with the reason, so that writes wait.
"""

from collections.abc import Mapping

from afterwit.memory.backends.backend import Availability, Operation, UnreachableError, UnsupportedError
from afterwit.model.memory_entry import Entry, Hit, Write


class MissingBackend:
    leaves_machine = False
    privacy = "Nothing is sent as long as it is missing."
    unsupported: Mapping[Operation, str] = {}

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def availability(self) -> Availability:
        return Availability(is_available=False, reason=self._reason)

    def store(self, write: Write, *, is_late: bool = False) -> None:  # noqa: ARG002 - the interface
        raise UnreachableError(self._reason)

    def retrieve(self, user: str, key: str) -> Entry | None:  # noqa: ARG002
        raise UnreachableError(self._reason)

    def query(self, user: str, text: str, limit: int) -> list[Hit]:  # noqa: ARG002
        raise UnreachableError(self._reason)

    def keys(self, user: str, prefix: str = "") -> list[str]:  # noqa: ARG002
        raise UnreachableError(self._reason)

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:  # noqa: ARG002
        raise UnreachableError(self._reason)

    def close(self) -> None:
        return None


_OFF = 'Memory is off (memory.backend = "null"), so nothing is kept. Set it to "local" to keep entries on this machine.'


class NullBackend:
    name = "null"
    leaves_machine = False
    privacy = "Nothing is stored."
    unsupported: Mapping[Operation, str] = {Operation.STORE: _OFF, Operation.DELETE: _OFF}

    def availability(self) -> Availability:
        return Availability(is_available=False, reason=_OFF)

    def store(self, write: Write, *, is_late: bool = False) -> None:  # noqa: ARG002 - the interface
        raise UnsupportedError(_OFF)

    def retrieve(self, user: str, key: str) -> Entry | None:  # noqa: ARG002
        return None

    def query(self, user: str, text: str, limit: int) -> list[Hit]:  # noqa: ARG002
        return []

    def keys(self, user: str, prefix: str = "") -> list[str]:  # noqa: ARG002
        return []

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:  # noqa: ARG002
        raise UnsupportedError(_OFF)

    def close(self) -> None:
        return None
