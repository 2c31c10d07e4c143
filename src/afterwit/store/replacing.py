"""Puts a new database in the place of the present one: by a rename, so that at every moment a whole one stands there.

The present one is released first: nobody else may have it open, and its write-ahead log is written back and gone, or
the log of the old one would be taken for that of the new one. Whoever waited for it meanwhile finds that it has moved,
and SQLite lets him write nothing. One that is damaged is set aside under a name of its own, with its log.
"""

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from afterwit.model.errors import BusyError
from afterwit.store.database import translated
from afterwit.store.layout import sync
from afterwit.store.steps import step

_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.05
_ENVIRONMENT = (
    apsw.FullError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.IOError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.CantOpenError,
    apsw.InterruptError,
    apsw.NoMemError,
)


def is_damage(error: BaseException | None) -> bool:
    """Whether it is the database's own fault, and not that of a disk, a lock or a permission."""
    return isinstance(error, apsw.Error) and not isinstance(error, _ENVIRONMENT)


def put_in_place(new: Path, place: Path, *, is_damaged: bool) -> None:
    """The new database, which nobody has open any more, takes the place. Raises where the present one is in use, or
    where there is no room to write its log back; then it stands as it was."""
    try:
        _make_single(new)
        sync(new)
        if is_damaged or not place.exists():
            _set_aside(place)
            new.replace(place)
        else:
            _replace(new, place)
        sync(place.parent)
    except (apsw.Error, OSError) as error:
        raise translated(error, place) from error
    step("the new database is in place")


def remove_database(path: Path) -> None:
    """With what SQLite keeps beside it."""
    for file in (path, *_beside(path)):
        file.unlink(missing_ok=True)


def _replace(new: Path, place: Path) -> None:
    try:
        with _released(place) as old:
            if os.name == "nt":  # where a file that is open cannot be replaced
                old.close()
            new.replace(place)
    except apsw.Error as error:
        if not is_damage(error):
            raise
        _set_aside(place)
        new.replace(place)


@contextmanager
def _released(place: Path) -> Iterator[apsw.Connection]:
    """The present database, locked, in one file."""
    with closing(apsw.Connection(str(place), flags=apsw.SQLITE_OPEN_READWRITE)) as old:
        deadline = time.monotonic() + _WAIT_SECONDS
        while not _is_single(old):
            if time.monotonic() > deadline:
                raise BusyError(
                    f"Another program has {place} open, maybe an agent's server of ours. The new database is not put in"
                    " its place. End that program and run the command again."
                )
            time.sleep(_POLL_SECONDS)
        old.execute("BEGIN EXCLUSIVE")
        yield old


def _is_single(old: apsw.Connection) -> bool:
    try:
        return bool(old.pragma("journal_mode", "delete") == "delete")
    except (apsw.BusyError, apsw.LockedError):
        return False


def _make_single(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("journal_mode", "delete")


def _set_aside(place: Path) -> None:
    for path in (place, *_beside(place)):
        if path.exists():
            path.replace(path.with_name(f"{path.name}.damaged"))
    step("the damaged database is set aside")


def _beside(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))
