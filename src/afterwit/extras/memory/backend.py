"""The interface of a memory backend: the least that keeps entries by user and key, and finds them again.

A backend does what it says or raises; it never reports a success that was none. What it cannot do at all stands in
`unsupported`, by operation, with the reason. Writes can be sent twice: the second time changes nothing. Users are
separate in every call. An error says which backend, what happened and what to do next. Whoever writes through the queue
sees only `UnsupportedError`, `RejectedError` and `EntryError`: every other failure makes the write wait, and is told as
a reason. Queues, retries and fallbacks are `queue`'s, limits of entries are `model.memory_entry`'s.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from afterwit.model.errors import AfterwitError
from afterwit.model.memory_entry import Entry, Hit, Write


class UnsupportedError(AfterwitError):
    """This backend cannot do that, now or later."""


class BackendError(AfterwitError):
    """The backend failed. The same call may succeed later."""


class UnreachableError(BackendError):
    """It is not installed, not configured, or does not answer."""


class RefusedError(BackendError):
    """It answers, and does not let us in."""


class WrongSchemaError(BackendError):
    """Its tables are not those that this version knows."""


class RejectedError(BackendError):
    """It does not take this one entry, however often it is sent."""


class Operation(StrEnum):
    STORE = "store"
    RETRIEVE = "retrieve"
    QUERY = "query"
    LIST = "list"
    DELETE = "delete"


class Availability(NamedTuple):
    is_available: bool
    reason: str  # what to do, where it is not


class Backend(Protocol):
    """One way to keep entries."""

    @property
    def name(self) -> str: ...

    @property
    def leaves_machine(self) -> bool:
        """Whether what is stored leaves this machine."""

    @property
    def privacy(self) -> str:
        """Who gets to see what is stored, in a sentence."""

    @property
    def unsupported(self) -> Mapping[Operation, str]: ...

    def availability(self) -> Availability:
        """Whether it can be used now. Never raises."""

    def store(self, write: Write, *, is_late: bool = False) -> None:
        """Keeps an entry, in place of an earlier one of that key. One that is late, because it had to wait, gives way
        to an entry that was written after it."""

    def retrieve(self, user: str, key: str) -> Entry | None: ...

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        """The entries that fit the text best, best first."""

    def keys(self, user: str, prefix: str = "") -> list[str]:
        """All keys, by code point."""

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:
        """Removes an entry; False if there is none. A late deletion leaves an entry alone that was written after it."""

    def close(self) -> None: ...


@runtime_checkable
class Bulk(Protocol):
    """What a backend may do besides, for many entries at once."""

    def store_many(self, writes: Sequence[Write]) -> None: ...

    def clear(self, user: str) -> int:
        """Removes all entries of a user. Returns how many there were."""


@runtime_checkable
class Sized(Protocol):
    """What a backend may do besides, where it can tell what it takes."""

    def used_bytes(self) -> int:
        """Of disk, with indexes, without room that is free again."""


def is_this_machine(host: str) -> bool:
    """A loopback address, a socket in the file system, or nothing at all."""
    name = host.strip("[]").lower()
    if not name or name.startswith(("/", "@")) or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
