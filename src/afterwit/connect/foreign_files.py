"""Files of other programs and of people: looked at, replaced whole or not at all, and copies of them as they were.

A file is written beside, synced and renamed; it keeps its permissions and its owner; a link stays a link, and what it
points to is replaced, unless somebody's repository holds a link that leads out of its checkout; a file that has changed
since it was looked at is left alone. A record says, for the journal,
what a file was without ours (`base`, a copy by its hash; none if it was not there), the hash of what was written, and
the folders that were made: a file that still has that hash can be put back exactly. Paths below the home folder begin
with `~`.
"""

import difflib
import hashlib
import os
import secrets
import stat
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.model.errors import AfterwitError, StoreError
from afterwit.store.atomic import create_file, step
from afterwit.store.regular_files import read_regular

_EXECUTABLE, _PLAIN = 0o777, 0o666  # before the user's umask


class ForeignFile(NamedTuple):
    """A file as it was seen."""

    path: Path  # as the other program names it
    target: Path  # the file itself, links followed
    content: bytes | None  # None: there is no such file


class FileRecord(msgspec.Struct, frozen=True):
    """One file of another program, as we left it."""

    path: str
    base: str | None  # the hash of the file without ours; None: there was no such file
    after: str
    made: tuple[str, ...] = ()


def fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def keep_copy(folder: Path, content: bytes) -> str:
    """Keeps a copy. Returns its hash, which is its name."""
    name = fingerprint(content)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    create_file(folder / name, content)
    return name


def kept_copy(folder: Path, name: str) -> bytes:
    """A copy. Raises StoreError if it is gone or damaged."""
    place = folder / name
    try:
        content = read_regular(place)
    except OSError:
        content = b""
    if fingerprint(content) != name:
        raise StoreError(f"The copy {place} is gone or damaged.")
    return content


def drop_copies(folder: Path, needed: Container[str | None]) -> None:
    """Removes copies that nothing refers to: they may hold other people's secrets."""
    for copy in folder.glob("*") if folder.is_dir() else ():
        if copy.name not in needed:
            copy.unlink(missing_ok=True)


def shortened(path: Path, user_home: Path) -> str:
    """A path for the journal."""
    return f"~/{path.relative_to(user_home).as_posix()}" if path.is_relative_to(user_home) else str(path)


def expanded(path: str, user_home: Path) -> Path:
    return user_home / path[2:] if path.startswith("~/") else Path(path)


def look(path: Path) -> ForeignFile:
    """The file as it is now. Raises AfterwitError if something else has its name."""
    target = Path(os.path.realpath(path))
    try:
        if not stat.S_ISREG(target.stat().st_mode):
            raise AfterwitError(f"{path} is no regular file, and is left alone.")
        return ForeignFile(path, target, read_regular(target))
    except (FileNotFoundError, NotADirectoryError):
        return ForeignFile(path, target, None)


def replace(file: ForeignFile, content: bytes | None, *, is_executable: bool = False) -> tuple[Path, ...]:
    """Gives the file new content, or removes it. Returns the folders that had to be made, outermost first."""
    if look(file.path) != file:
        raise AfterwitError(f"{file.path} has changed in the meantime. Run the command again.")
    if content is None:
        file.target.unlink(missing_ok=True)
        return ()
    _refuse_leaving(file)
    made = missing_folders(file.target)
    file.target.parent.mkdir(parents=True, exist_ok=True)
    beside = file.target.with_name(f".{file.target.name}.{secrets.token_hex(4)}")
    try:
        _write(beside, content, file.target, _EXECUTABLE if is_executable else _PLAIN)
        step("a file of another program is written beside, not renamed")
        if look(file.path) != file:
            raise AfterwitError(f"{file.path} has changed in the meantime. Run the command again.")
        beside.replace(file.target)
    except BaseException:
        beside.unlink(missing_ok=True)
        remove_folders(made)
        raise
    _sync(file.target.parent)
    return made


def _refuse_leaving(file: ForeignFile) -> None:
    """A repository is other people's: a link in it must not lead our writing elsewhere. A home in git is one's own."""
    for root in file.path.absolute().parents:  # the outer ones too: the link may lead into another checkout
        is_checkout = (root / ".git").exists() and root != Path.home()
        if is_checkout and not file.target.is_relative_to(os.path.realpath(root)):
            raise AfterwitError(
                f"{file.path} is a link that leads out of the checkout {root}, to {file.target}, and is left alone."
                " Replace it by a file, or name that file itself."
            )


def differences(path: Path, before: bytes | None, after: bytes | None) -> Iterator[str]:
    """The change of a file, line by line, for people."""
    old_name, new_name = ("(no file)" if content is None else str(path) for content in (before, after))
    lines = difflib.unified_diff(_lines(before), _lines(after), old_name, new_name, n=2)
    yield from (line.rstrip("\n") for line in lines)


def _lines(content: bytes | None) -> list[str]:
    return [line + "\n" for line in (content or b"").decode("utf-8", "replace").splitlines()]


def remove_folders(made: tuple[Path, ...]) -> None:
    """Removes folders, innermost first, as far as they are empty."""
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def missing_folders(target: Path) -> tuple[Path, ...]:
    """The folders that have to be made for a file, outermost first."""
    return tuple(reversed([folder for folder in target.parents if not folder.exists()]))


def _write(beside: Path, content: bytes, target: Path, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(beside, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileNotFoundError):
        status = target.stat()
        beside.chmod(stat.S_IMODE(status.st_mode))
        if hasattr(os, "chown") and (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):
                os.chown(beside, status.st_uid, status.st_gid)


def _sync(folder: Path) -> None:
    """Makes the new name durable, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
