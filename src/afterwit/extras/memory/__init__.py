"""Memory of users and agents across sessions: keyed entries, behind one small interface.

What a backend from elsewhere needs to implement `Backend` is here. Choosing one, joining it with the store and the
Python API for callers are `extras.memory.api`'s.
"""

from afterwit.extras.memory.backend import (
    Availability,
    Backend,
    BackendError,
    Bulk,
    Operation,
    RefusedError,
    RejectedError,
    UnreachableError,
    UnsupportedError,
    WrongSchemaError,
)
from afterwit.model.memory_entry import Entry, EntryError, Hit, Plain, Write

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
