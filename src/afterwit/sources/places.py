"""Where the files of a home lie, and how one is opened there: in a folder of this machine, in a folder at a URL, or
beside a task that was sent to another machine.

Whoever reads logs asks here, so that the same bytes give the same sessions wherever they lie. A place can be sent to
another process. What cannot be opened or read is an OSError.
"""

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from afterwit.sources.log_files import LogFile
from afterwit.sources.remote_folder import RemoteFolder
from afterwit.store.regular_files import open_regular


class CarriedFile(NamedTuple):
    content: bytes
    about: LogFile


class CarriedFiles(NamedTuple):
    """Files that came along; there are no others."""

    files: Mapping[str, CarriedFile]

    def size_of(self, path: str) -> int:
        """How much of it came along: of a session in a database `about` tells another size."""
        return len(self.files[path].content)

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[BinaryIO, LogFile]]:
        if path not in self.files:
            raise FileNotFoundError(path)
        content, about = self.files[path]
        yield io.BytesIO(content), about


LogPlace = Path | RemoteFolder | CarriedFiles


@contextmanager
def opened_in(place: LogPlace, path: str | PurePosixPath) -> Iterator[tuple[BinaryIO, LogFile]]:
    """A file and its marks. Raises OSError."""
    if not isinstance(place, Path):
        with place.opened(str(path)) as (file, about):
            yield file, about
        return
    with open_regular(place / path, buffering=0) as file:
        about_file = os.fstat(file.fileno())
        yield file, LogFile(PurePosixPath(path), about_file.st_size, about_file.st_mtime_ns, about_file.st_ino)


def whole_file(file: BinaryIO, most_bytes: int) -> bytes:
    """What it holds, at most so much of it. A file may give less than it is asked for, time and again."""
    blocks: list[bytes] = []
    while most_bytes > 0 and (block := file.read(most_bytes)):
        blocks.append(block)
        most_bytes -= len(block)
    return b"".join(blocks)
