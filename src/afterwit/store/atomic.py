"""Files that are written whole or not at all: beside their place, then renamed. The one way in which Afterwit writes.

Whoever reads finds the old file or the new one, also after a crash. A file that `is_durable` (all are, unless somebody
says otherwise) is also there after a power cut. Files are the user's alone where no other mode is asked for.

`step` marks the points between two durable changes, so that a test can stop a run dead at each of them:
`AFTERWIT_KILL_AT_STEP=n` kills this process without warning at the n-th step that it reaches.
"""

import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

PRIVATE = 0o600
READABLE = 0o666  # less what the user's umask takes away
_LONGEST_NAME = 100  # that is taken over into the name of a file beside
_KILL_AT = int(os.environ.get("AFTERWIT_KILL_AT_STEP") or 0)
# What systems say that sync no folder, or not this one.
_NOT_FOR_FOLDERS = (errno.EACCES, errno.EPERM, errno.EINVAL, errno.ENOTSUP)
_reached = 0


@contextmanager
def rename_into(path: Path, beside: Path | None = None) -> Iterator[Path]:
    """A free name beside the path. What the caller puts there takes the path's place at the end, if nothing is raised;
    syncing it is left to him. One `beside` with a fixed name can be found again after a crash."""
    beside = beside or _beside(path)
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def open_replacement(path: Path, mode: int = PRIVATE, *, is_durable: bool = True) -> Iterator[BinaryIO]:
    """A new file, open for writing, that takes the path's place at the end, if nothing is raised."""
    with rename_into(path) as beside, _open_beside(beside, mode, is_durable=is_durable) as file:
        yield file
    if is_durable:
        sync(path.parent)


def replace_file(path: Path, content: bytes, mode: int = PRIVATE, *, is_durable: bool = True) -> None:
    """Writes a file, in the place of an older one."""
    with open_replacement(path, mode, is_durable=is_durable) as file:
        file.write(content)


@contextmanager
def open_new(path: Path) -> Iterator[BinaryIO]:
    """A new file, open for writing, that gets the path's name at the end. Raises FileExistsError if that is taken."""
    beside = _beside(path)
    try:
        with _open_beside(beside, PRIVATE, is_durable=True) as file:
            yield file
        _link(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def create_file(path: Path, content: bytes) -> bool:
    """Writes a new file; False if there is one of that name."""
    try:
        with open_new(path) as file:
            file.write(content)
    except FileExistsError:
        return False
    return True


def make_private(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, each for the user alone."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def make_way(path: Path) -> None:
    """Moves a folder aside that lies where a file of ours belongs. Anything else can be replaced as it is."""
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}.folder-{os.urandom(4).hex()}"))


def sync(path: Path) -> None:
    """Makes a file durable, or the names in a folder, where the system has a call for that."""
    is_folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if not is_folder or error.errno not in _NOT_FOR_FOLDERS:
            raise


def step(name: str) -> None:
    """Marks a point between two durable changes; `name` says which, for whoever reads the code or a trace."""
    global _reached  # noqa: PLW0603 - one counter per process is the point
    if _KILL_AT:
        _reached += 1
        if _reached == _KILL_AT:
            os.write(2, f"killed at step {_reached}: {name}\n".encode())
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:_LONGEST_NAME]}.{os.urandom(4).hex()}")


@contextmanager
def _open_beside(path: Path, mode: int, *, is_durable: bool) -> Iterator[BinaryIO]:
    with open(path, "xb", opener=partial(os.open, mode=mode)) as file:
        yield file
        if is_durable:
            file.flush()
            os.fsync(file.fileno())


def _link(beside: Path, path: Path) -> None:
    try:
        os.link(beside, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a system without hard links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        beside.rename(path)
