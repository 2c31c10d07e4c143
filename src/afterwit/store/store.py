"""A store, open: the database, the archive, the journal and the spool of one folder, and the lease of whoever writes.

One writer at a time. The lease is a lock on a file, so the system releases it however the holder ends. The file names
the holder's process, for people who wonder; its content is never trusted.
"""

import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import apsw

from afterwit.model.errors import BusyError, DamagedError, StoreError
from afterwit.store.archive import Archive
from afterwit.store.database import (
    MOST_WAIT_SECONDS,
    connect,
    connect_readonly,
    migrate,
    migrations,
    schema_version,
    transaction,
    translate_error,
)
from afterwit.store.journal import Journal, heads_applied, last_heads, refuse_missing
from afterwit.store.layout import Layout, redaction_key
from afterwit.store.marks import note_owner
from afterwit.store.regular_files import read_regular


class Store:
    """What a command needs to read or write. Made by `open_store` or `rehearse_store`."""

    def __init__(self, layout: Layout, db: apsw.Connection, archive: Archive, journal: Journal) -> None:
        self.layout = layout
        self.db = db
        self.archive = archive
        self.journal = journal
        self.key = redaction_key(layout)
        note_owner(db, self.key, journal.machine)


@contextmanager
def open_store(layout: Layout) -> Iterator[Store]:
    """The store, made if it is not there, with its schema up to date."""
    layout.refuse_half_replaced()
    layout.create()
    if layout.has_archive() and not layout.database.exists():
        raise DamagedError(
            f"{layout.database} is gone, but not what was archived. `afterwit store rebuild` makes it again."
        )
    with damage_as_errors(layout), closing(connect(layout.database)) as db:
        migrate(db, migrations(), layout.backups)
        refuse_missing(layout, last_heads(layout, heads_applied(db)))
        with closing(Journal(layout.journal, layout.backups)) as journal:
            yield Store(layout, db, Archive(layout.archive), journal)


@contextmanager
def rehearse_store(layout: Layout) -> Iterator[Store]:
    """The store for a dry run: the same code writes, and all of it is thrown away at the end.

    Database changes are one transaction that is rolled back, and archived bytes go to a temporary folder. A store that
    does not exist yet is made in a temporary folder.
    """
    with ExitStack() as stack:
        beside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="afterwit-")))
        store = stack.enter_context(open_store(layout if layout.exists() else Layout(beside / "store")))
        store.archive = Archive(store.layout.archive, overlay=beside / "archive")
        try:
            with transaction(store.db):
                yield store
                raise _RehearsalOverError
        except _RehearsalOverError:
            return


class _RehearsalOverError(Exception):
    """Rolls the rehearsal's transaction back."""


def require(layout: Layout) -> None:
    """For commands that look at what was learned: says what to do where nothing was."""
    layout.refuse_half_replaced()
    if not layout.exists():
        raise StoreError(f"There is no store at {layout.root} yet. Run `afterwit learn` first.")


@contextmanager
def readonly_database(layout: Layout) -> Iterator[apsw.Connection]:
    """For commands that only look. Damage that shows while they look is an error of ours too."""
    require(layout)
    with damage_as_errors(layout), closing(connect_readonly(layout.database)) as db:
        if schema_version(db) != migrations()[-1].number:
            raise StoreError(
                f"{layout.database} has another schema than this afterwit. Run `afterwit learn` to upgrade it."
            )
        yield db


@contextmanager
def damage_as_errors(layout: Layout) -> Iterator[None]:
    """Errors of SQLite become errors of ours that say what to do. All others are faults of the program: SQLite lets
    nobody read a page that is not as it was written."""
    try:
        yield
    except apsw.Error as error:
        raise translate_error(error, layout.database) from error


_POLL_SECONDS = 0.05


@contextmanager
def hold_lease(path: Path, wait_seconds: float = 0.0) -> Iterator[int]:
    """Holds the lease. Raises BusyError where another run holds it for longer than `wait_seconds`. Gives the descriptor
    of the lock: a program that is started with it goes on holding the lease where this one is killed before it."""
    deadline = time.monotonic() + min(wait_seconds, MOST_WAIT_SECONDS.get())
    with _open_lease(path) as file:
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
    with _open_lease(path) as file:
        if not _try_lock(file):
            return True
        _unlock(file)
        return False


def _named(pid: int | None) -> str:
    return f" (process {pid})" if pid else ""


def _open_lease(path: Path) -> io.FileIO:
    try:
        return io.FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600), "r+")
    except OSError as error:
        raise translate_error(error, path) from error


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
