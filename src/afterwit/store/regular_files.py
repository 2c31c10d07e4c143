"""Opens files that others put where we look: a regular file, or an error; never a wait.

A named pipe in the place of a settings file would stop whoever opens it until somebody writes to it, a terminal until
somebody types, and a device may have no end. So whatever Afterwit reads and did not make in the same run is opened
here. Links are followed: people keep their settings elsewhere. Imports nothing slow.
"""

import errno
import os
from stat import S_ISDIR, S_ISREG

TYPE_CHECKING = False  # as `typing` has it, which is slow to load
if TYPE_CHECKING:
    from typing import BinaryIO

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotRegularError(OSError):
    """It is there and can be opened, but is no file."""


def open_regular(path: "str | os.PathLike[str]", buffering: int = -1) -> "BinaryIO":
    """The file, for reading. Raises OSError, also where it is something else than a file."""
    handle = os.open(path, _FLAGS)
    try:
        mode = os.fstat(handle).st_mode
        if S_ISDIR(mode):
            raise NotRegularError(errno.EISDIR, "Is a folder, not a file", os.fspath(path))
        if not S_ISREG(mode):
            raise NotRegularError(errno.EINVAL, "Is a pipe or a device, not a file", os.fspath(path))
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb", buffering)


def read_regular(path: "str | os.PathLike[str]", most_bytes: int = -1) -> bytes:
    """What it holds, at most so much of it."""
    with open_regular(path) as file:
        return file.read(most_bytes)
