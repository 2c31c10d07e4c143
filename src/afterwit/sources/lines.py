"""The bytes of a log as lines, whatever they come from: a file, a packed file, the archive.

`BufferedReader` does the splitting, so a line of any length costs its length. A `Tap` hands every byte that passes to
whoever archives it. Packed logs (`.zst`) are unpacked as they are read, in bounded pieces.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from afterwit.model import zstd
from afterwit.model.readings import Problem
from afterwit.sources.framing import Framing

_BUFFER_BYTES = 256 * 1024
MOST_LINE_BYTES = 128 << 20
_PACKED_BYTES = 8 * 1024


class Tap(io.RawIOBase):
    """A file read up to a limit, every byte of which is shown to `sink` as it passes."""

    def __init__(self, file: io.RawIOBase, limit_bytes: int, sink: Callable[[bytes], None]) -> None:
        self._file = file
        self._left = limit_bytes
        self._sink = sink

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._file.read(min(len(buffer), self._left)) or b""
        self._left -= len(piece)
        buffer[: len(piece)] = piece
        self._sink(piece)
        return len(piece)


class Chunks(io.RawIOBase):
    """An iterator of bytes as a file."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def is_packed(path: PurePosixPath) -> bool:
    return path.suffix == ".zst"


def lines_of(path: PurePosixPath, raw: io.RawIOBase) -> BinaryIO:
    """The lines of a log: iterate over it."""
    if not is_packed(path):
        return io.BufferedReader(raw, _BUFFER_BYTES)
    return io.BufferedReader(Chunks(_unpacked(raw)), _BUFFER_BYTES)


def _unpacked(raw: io.RawIOBase) -> Iterator[bytes]:
    """The content of all frames, in small pieces, so that damage costs no more than what was packed right before it."""
    unpacker = zstd.ZstdDecompressor()
    is_inside = False
    while chunk := raw.read(_PACKED_BYTES):
        while chunk:
            yield unpacker.decompress(chunk)
            is_inside = not unpacker.eof
            chunk = b"" if is_inside else unpacker.unused_data
            if not is_inside:
                unpacker = zstd.ZstdDecompressor()
    if is_inside:
        raise zstd.ZstdError("it ends in the middle of a frame")


def whole_lines(lines: BinaryIO, framing: Framing, problems: list[Problem]) -> Iterator[bytes]:
    """The lines, up to where they cannot be unpacked any further; what went wrong there becomes a problem. A line of
    absurd length is left out and becomes one too."""
    try:
        while line := lines.readline(MOST_LINE_BYTES):
            if len(line) < MOST_LINE_BYTES or line.endswith(b"\n"):
                yield line
                continue
            size = len(line) + _rest_of_line(lines)
            problems.append(Problem(offset=framing.consumed, length=size, reason="the line is too long to be read"))
            framing.skip(size)
    except zstd.ZstdError as error:
        problems.append(Problem(offset=framing.consumed, length=0, reason=f"cannot be unpacked: {error}"))


def whole_content(lines: BinaryIO, problems: list[Problem]) -> bytes:
    """All bytes of a file that is read whole. One of absurd size, or that cannot be unpacked, becomes a problem."""
    try:
        raw = lines.read(MOST_LINE_BYTES)
        if not lines.read(1):
            return raw
        problems.append(Problem(offset=0, length=len(raw), reason="the file is too long to be read"))
    except zstd.ZstdError as error:
        problems.append(Problem(offset=0, length=0, reason=f"cannot be unpacked: {error}"))
    return b""


def _rest_of_line(lines: BinaryIO) -> int:
    size = 0
    while piece := lines.readline(_BUFFER_BYTES):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
    return size
