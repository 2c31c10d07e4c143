"""Results that go to a file instead of standard output: whole or not at all, private, and never over another.

A file is replaced only if that is asked for, and nothing but a regular file ever is: a link, a pipe or a device that
bears the name is left alone. Complaints name the file that was asked for, not the one that is written beside it first.
"""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from afterwit.model.errors import UsageError
from afterwit.store.atomic import open_replacement

STANDARD_OUTPUT = Path("-")


def refuse_existing(output: Path | None, *, is_forced: bool) -> None:
    """To be asked before the work begins."""
    if output is not None and _is_there(output) and not is_forced:
        raise UsageError(f"{output} is there already. --force replaces it.")


@contextmanager
def whole_file(output: Path) -> Iterator[BinaryIO]:
    """A private file that is written beside, and gets its name when it is whole."""
    _is_there(output)
    try:
        with open_replacement(output, is_durable=False) as file:
            yield file
    except OSError as error:
        is_ours = error.filename is None or Path(error.filename).parent == output.parent
        raise OSError(error.errno, error.strerror, str(output) if is_ours else error.filename) from error


def write_whole(output: Path, text: str) -> None:
    with whole_file(output) as file:
        file.write(text.encode("utf-8", "replace"))


def _is_there(output: Path) -> bool:
    """Whether a regular file has the name. Raises UsageError if anything else has, or if there is no folder for it."""
    try:
        mode = output.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if not output.parent.is_dir():
            raise UsageError(f"There is no folder {output.parent}. Make it, or name another file.") from None
        return False
    if not stat.S_ISREG(mode):
        raise UsageError(f"{output} is {_kind(mode)}, no regular file, and is left alone. Name another file.")
    return True


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
