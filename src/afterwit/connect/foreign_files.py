"""Reads and replaces files that belong to other programs.

Promises: a file is replaced whole or not at all (written beside, synced, renamed); it keeps its permissions and its
owner; a link stays a link, and what it points to is replaced; a file that has changed since it was read is left alone.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from afterwit.model.errors import AfterwitError
from afterwit.store.atomic import replacing, step
from afterwit.store.regular_files import read_regular

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
    try:
        with replacing(found.target, _EXECUTABLE if is_executable else _PLAIN) as file:
            file.write(content)
            _keep_rights(Path(file.name), found.target)
            step("a file of another program is written beside, not renamed")
            if look(found.path) != found:
                raise AfterwitError(f"{found.path} has changed in the meantime. Run the command again.")
    except BaseException:
        remove_folders(made)
        raise
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


def _keep_rights(beside: Path, target: Path) -> None:
    """Gives a new file the permissions and, if possible, the owner of the one that it replaces."""
    with suppress(FileNotFoundError):
        known = target.stat()
        beside.chmod(stat.S_IMODE(known.st_mode))
        if hasattr(os, "chown") and (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):
                os.chown(beside, known.st_uid, known.st_gid)
