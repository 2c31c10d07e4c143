"""What can go wrong with a backend. A message says which backend, what happened and what to do next.

Whoever writes through `patient.Patient` sees only `UnsupportedError`, `RejectedError` and `EntryError`: every other
failure of a backend makes the write wait, and is told as a reason.
"""

from afterwit.model.errors import AfterwitError


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
