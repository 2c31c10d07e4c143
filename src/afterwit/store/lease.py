"""One writer at a time. The lease is a lock on a file, so the system releases it however the holder ends.

The file names the holder's process, for people who wonder; its content is never trusted.
"""

import io
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from afterwit.model.errors import BusyError
from afterwit.store.database import MOST_WAIT_SECONDS, translated
from afterwit.store.regular_files import read_regular

_POLL_SECONDS = 0.05


@contextmanager
def held(path: Path, wait_seconds: float = 0.0) -> Iterator[int]:
    """Holds the lease. Raises BusyError where another run holds it for longer than `wait_seconds`. Gives the descriptor
    of the lock: a program that is started with it goes on holding the lease where this one is killed before it."""
    deadline = time.monotonic() + min(wait_seconds, MOST_WAIT_SECONDS.get())
    with _opened(path) as file:
        while not _try_lock(file):
            if not time.monotonic() < deadline:
                raise BusyError(
                    f"Another run{_named(holder(path))} is at work on this store. Try again when it has ended."
                )
            time.sleep(_POLL_SECONDS)
        try:
            _write_holder(file, f"{os.getpid()}\n")
            yield file.fileno()
        finally:
            _write_holder(file, "")
            _unlock(file)


def holder(path: Path) -> int | None:
    """The process that says it holds the lease, if any."""
    try:
        return int(read_regular(path).split()[0])
    except (OSError, ValueError, IndexError):
        return None


def is_held(path: Path) -> bool:
    """Whether a run holds the lease now. Where a holder is named, its lock is tried; a run that starts at that very
    moment could take that for another one, so nothing is tried where nobody is named."""
    if holder(path) is None:
        return False
    with _opened(path) as file:
        if not _try_lock(file):
            return True
        _unlock(file)
        return False


def _named(pid: int | None) -> str:
    return f" (process {pid})" if pid else ""


def _opened(path: Path) -> io.FileIO:
    try:
        return io.FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600), "r+")
    except OSError as error:
        raise translated(error, path) from error


def _write_holder(file: io.FileIO, text: str) -> None:
    """Only for people: on a full disk the lease holds without it."""
    with suppress(OSError):
        file.truncate(0)
        file.seek(0)
        file.write(text.encode("ascii"))


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # lock a byte far behind the text, so that others can read the text

    def _try_lock(file: io.FileIO) -> bool:
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: io.FileIO) -> None:
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(file: io.FileIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: io.FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
