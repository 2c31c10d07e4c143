"""The inside of an archived file: a header in a skippable frame, then zstd frames of about 256 KB.

Such a file is an ordinary .zst that any zstd program unpacks to the original bytes. Every frame states its content size
and a checksum, so frames can be walked without unpacking them (the block headers say how far to jump). Format: RFC
8878.

`ArchivedFile` reads pieces without unpacking the rest. Where the frames lie is found once, and only as far as it is
needed; the frame that was unpacked last stays at hand. So many pieces of one file, asked for in the order in which they
lie, cost little more than the frames that hold them.
"""

import json
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from afterwit.model import zstd
from afterwit.model.errors import DamagedError

FRAME_BYTES = 256 * 1024
LEVEL = 3
BEST_LEVEL = 19
REMAINS = "remains"  # the role that such a file has in its header
_SKIPPABLE = 0x184D2A5A
_ZSTD = 0xFD2FB528
_HEADER_LIMIT = 1 << 20
_LONGEST = FRAME_BYTES + 4096  # no frame is longer, whatever is in it
_HEAD_BYTES = 18 + 3  # the longest header of a frame, and that of its first block


class Frame(NamedTuple):
    """Where one frame lies: in the packed file, and in the original."""

    packed_offset: int
    packed_length: int
    offset: int
    length: int


class Packer:
    """Turns a stream of bytes into frames as they come."""

    def __init__(self, level: int = LEVEL) -> None:
        self._compressor = zstd.Compressor(level, has_checksum=True)
        self._pending = bytearray()

    def add(self, piece: bytes) -> Iterator[bytes]:
        """The frames that this piece completes."""
        if not self._pending and len(piece) == FRAME_BYTES:
            yield self._compressor.compress(piece)
            return
        self._pending += piece
        while len(self._pending) >= FRAME_BYTES:
            yield self._compressor.compress(self._pending[:FRAME_BYTES])
            del self._pending[:FRAME_BYTES]

    def finish(self) -> Iterator[bytes]:
        """The last frame, if any bytes are left."""
        if self._pending:
            yield self._compressor.compress(self._pending)
            self._pending.clear()


def pack(pieces: Iterable[bytes], level: int = LEVEL) -> Iterator[bytes]:
    """The frames of a whole stream."""
    packer = Packer(level)
    for piece in pieces:
        yield from packer.add(piece)
    yield from packer.finish()


def unpack(frame: bytes) -> bytes:
    """The content of one frame. Never more than a frame holds, whatever a damaged header says."""
    try:
        if zstd.content_bytes(frame) > FRAME_BYTES:
            raise DamagedError("a frame of the archive states an impossible size")
        return zstd.unpack(frame, FRAME_BYTES)
    except zstd.ZstdError as error:
        raise DamagedError(f"a frame of the archive does not unpack: {error}") from error


def unpack_at(file: BinaryIO, frame: Frame) -> bytes:
    file.seek(frame.packed_offset)
    return unpack(file.read(frame.packed_length))


def pack_header(fields: dict[str, Any]) -> bytes:
    body = json.dumps(fields).encode("ascii")  # escapes names of files that are no text
    return struct.pack("<II", _SKIPPABLE, len(body)) + body


def read_header(file: BinaryIO) -> dict[str, Any]:
    """The header at the beginning of the file. Raises DamagedError if there is none."""
    file.seek(0)
    start = file.read(8)
    magic, length = struct.unpack("<II", start) if len(start) == 8 else (0, 0)
    if magic != _SKIPPABLE or length > _HEADER_LIMIT:
        raise DamagedError("the archived file does not begin with a header")
    try:
        header = json.loads(file.read(length))
    except ValueError as error:
        raise DamagedError(f"the header of the archived file cannot be read: {error}") from error
    if not isinstance(header, dict):
        raise DamagedError("the header of the archived file is not what it should be")
    return header


def header_length(file: BinaryIO) -> int:
    """Where the header ends; 0 where there is none."""
    file.seek(0)
    start = file.read(8)
    magic, length = struct.unpack("<II", start) if len(start) == 8 else (0, 0)
    return 8 + length if magic == _SKIPPABLE else 0


def is_remains(file: BinaryIO) -> bool:
    """Whether the file holds what was kept of an original instead of the original."""
    return read_header(file).get("role") == REMAINS


def walk(file: BinaryIO) -> Iterator[Frame]:
    """The whole frames, in order; stops before a torn one, which a killed run may have left at the end."""
    end = file.seek(0, 2)
    packed, offset = 0, 0
    while packed + 8 <= end:
        file.seek(packed)
        head = file.read(_HEAD_BYTES)
        magic = int.from_bytes(head[:4], "little")
        if magic == _SKIPPABLE:
            packed += 8 + int.from_bytes(head[4:8], "little")
            continue
        if magic != _ZSTD:
            return
        length, stop = _frame_extent(file, packed, head)
        if stop > end:
            return
        yield Frame(packed, stop - packed, offset, length)
        packed, offset = stop, offset + length


def is_torn(rest: bytes) -> bool:
    """Whether what follows the last whole frame is nothing, or the beginning of one more, as a killed run leaves it.
    Anything else is damage, and whole frames may lie behind it."""
    magic = _ZSTD.to_bytes(4, "little")
    return rest[:4] == magic[: len(rest)] and len(rest) <= _LONGEST and magic not in rest[1:]


def _frame_extent(file: BinaryIO, packed: int, head: bytes) -> tuple[int, int]:
    """(content size, end of the frame in the file)."""
    try:
        content_bytes = zstd.content_bytes(head)
    except zstd.ZstdError:
        return 0, 1 << 62
    size = _frame_header_bytes(head[4])
    at, start = packed + size, head[size : size + 3]
    while True:
        block = int.from_bytes(start.ljust(3, b"\xff"), "little")
        at += 3 + (1 if (block >> 1) & 3 == 1 else block >> 3)
        if block & 1:
            break
        file.seek(at)
        start = file.read(3)
    return content_bytes, at + (4 if head[4] & 4 else 0)


def _frame_header_bytes(descriptor: int) -> int:
    """How long the header of a frame is: magic number, descriptor, then window, dictionary and size as it says."""
    is_single_segment = descriptor >> 5 & 1
    content_size = (is_single_segment, 2, 4, 8)[descriptor >> 6]
    return 5 + (1 - is_single_segment) + (0, 1, 2, 4)[descriptor & 3] + content_size


class ArchivedFile:
    """An archived file that is open. Close it, or use it in a `with`."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self._name = name
        self._file = file
        self._known: list[Frame] = []
        self._further = walk(file)
        self._last: tuple[Frame, bytes] | None = None

    @cached_property
    def header(self) -> dict[str, Any]:
        return read_header(self._file)

    def read(self, offset: int, length: int) -> bytes:
        """Some of the original bytes. Raises DamagedError where they are not all there."""
        if self.header.get("role") == REMAINS:
            raise DamagedError(
                f"The archived file {self._name} holds only what is kept of it; the original was dropped."
            )
        end = offset + length
        whole = b"".join(
            self._content_of(frame)[max(0, offset - frame.offset) : end - frame.offset]
            for frame in self._frames(offset, end)
        )
        if len(whole) != length:
            raise DamagedError(f"The archived file {self._name} holds {len(whole)} of {length} bytes at {offset}.")
        return whole

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _frames(self, start: int, end: int) -> Iterator[Frame]:
        """The frames that hold bytes from `start` to before `end`."""
        while not self._known or self._known[-1].offset + self._known[-1].length < end:
            frame = next(self._further, None)
            if frame is None:
                break
            self._known.append(frame)
        first = bisect_right(self._known, start, key=lambda frame: frame.offset) - 1
        for frame in self._known[max(0, first) :]:
            if frame.offset >= end:
                return
            yield frame

    def _content_of(self, frame: Frame) -> bytes:
        if self._last is None or self._last[0] != frame:
            self._last = (frame, unpack_at(self._file, frame))
        return self._last[1]
