"""Reads and replaces files that belong to other programs.

Promises: a file is replaced whole or not at all (written beside, synced, renamed); it keeps its permissions and its
owner; a link stays a link, and what it points to is replaced; a file that has changed since it was read is left alone.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from afterwit.model.errors import AfterwitError
from afterwit.store.regular_files import read_regular
from afterwit.store.steps import step

_EXECUTABLE, _PLAIN = 0o777, 0o666  # before the user's umask


class Found(NamedTuple):
    """A file as it was seen."""

    path: Path  # as the other program names it
    target: Path  # the file itself, links followed
    content: bytes | None  # None: there is no such file


def look(path: Path) -> Found:
    """The file as it is now. Raises AfterwitError if something else has its name."""
    target = Path(os.path.realpath(path))
    try:
        if not stat.S_ISREG(target.stat().st_mode):
            raise AfterwitError(f"{path} is no regular file, and is left alone.")
        return Found(path, target, read_regular(target))
    except (FileNotFoundError, NotADirectoryError):
        return Found(path, target, None)


def replace(found: Found, content: bytes | None, *, is_executable: bool = False) -> tuple[Path, ...]:
    """Gives the file new content, or removes it. Returns the folders that had to be made, outermost first."""
    if look(found.path) != found:
        raise AfterwitError(f"{found.path} has changed in the meantime. Run the command again.")
    if content is None:
        found.target.unlink(missing_ok=True)
        return ()
    made = _make_folders(found.target.parent)
    beside = found.target.with_name(f".{found.target.name}.{secrets.token_hex(4)}")
    try:
        _write(beside, content, found.target, _EXECUTABLE if is_executable else _PLAIN)
        step("a file of another program is written beside, not renamed")
        if look(found.path) != found:
            raise AfterwitError(f"{found.path} has changed in the meantime. Run the command again.")
        beside.replace(found.target)
    except BaseException:
        beside.unlink(missing_ok=True)
        remove_folders(made)
        raise
    _sync(found.target.parent)
    return made


def remove_folders(made: tuple[Path, ...]) -> None:
    """Removes folders, innermost first, as far as they are empty."""
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _make_folders(folder: Path) -> tuple[Path, ...]:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(reversed(missing))


def _write(beside: Path, content: bytes, target: Path, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(beside, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileNotFoundError):
        known = target.stat()
        beside.chmod(stat.S_IMODE(known.st_mode))
        if hasattr(os, "chown") and (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):
                os.chown(beside, known.st_uid, known.st_gid)


def _sync(folder: Path) -> None:
    """Makes the new name durable, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
