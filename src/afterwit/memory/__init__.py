"""Memory of users and agents across sessions: keyed entries, behind one small interface.

What a backend from elsewhere needs to implement `Backend` is here. Choosing one, joining it with the store and the
Python API for callers are `usecases.memory`'s.
"""

from afterwit.memory.backend import Availability, Backend, Bulk, Operation
from afterwit.memory.entry import Entry, Hit, Plain, Write
from afterwit.memory.errors import (
    BackendError,
    EntryError,
    RefusedError,
    RejectedError,
    UnreachableError,
    UnsupportedError,
    WrongSchemaError,
)

__all__ = [
    "Availability",
    "Backend",
    "BackendError",
    "Bulk",
    "Entry",
    "EntryError",
    "Hit",
    "Operation",
    "Plain",
    "RefusedError",
    "RejectedError",
    "UnreachableError",
    "UnsupportedError",
    "Write",
    "WrongSchemaError",
]
