"""The error tree. A message says what happened, where, and what to do next.

Bad input that belongs to the data is never raised: it becomes a `Problem` and a row. What is raised here stops the
caller, and the outermost frame prints it without a traceback.
"""


class AfterwitError(Exception):
    """Stops the command; its text is shown to the user as it is."""


class ConfigError(AfterwitError):
    """The configuration cannot be used as written."""


class UsageError(AfterwitError):
    """The command was called wrongly: exit code 2."""


class PartlyDoneError(AfterwitError):
    """What was asked is recorded and will happen, but not all of it could be done now: exit code 3."""


class StoreError(AfterwitError):
    """The store cannot be opened, read or written."""


class StoreFullError(StoreError):
    """The disk or a quota is full. What was committed stays; the rest is read at the next run."""


class DamagedError(StoreError):
    """The store contradicts itself: a checksum, a chain or an integrity check failed."""


class BusyError(StoreError):
    """Another run holds the lease."""


class BackupError(AfterwitError):
    """A backup cannot be made, read or restored."""


class BackupDamagedError(BackupError):
    """What a backup holds is not what was put there, or is gone."""
