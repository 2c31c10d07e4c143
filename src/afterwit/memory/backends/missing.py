"""Stands in for a backend that is chosen and cannot be had: every call fails with the reason, so that writes wait."""

from collections.abc import Mapping

from afterwit.memory.backends.backend import Availability, Operation
from afterwit.memory.backends.errors import UnreachableError
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
