"""The inside of an archived file: a header in a skippable frame, then zstd frames of about 256 KB.

Such a file is an ordinary .zst that any zstd program unpacks to the original bytes. Every frame states its content size
and a checksum, so frames can be walked without unpacking them (the block headers say how far to jump) and one record
can be read without its file. Format: RFC 8878.
"""

import json
import struct
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

import zstandard

from afterwit.model.errors import DamagedError

FRAME_BYTES = 256 * 1024
LEVEL = 3
_SKIPPABLE = 0x184D2A5A
_ZSTD = 0xFD2FB528
_HEADER_LIMIT = 1 << 20


class Frame(NamedTuple):
    """Where one frame lies: in the packed file, and in the original."""

    packed_offset: int
    packed_length: int
    offset: int
    length: int


class Packer:
    """Turns a stream of bytes into frames as they come."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True)
        self._pending = bytearray()

    def add(self, piece: bytes) -> Iterator[bytes]:
        """The frames that this piece completes."""
        self._pending += piece
        while len(self._pending) >= FRAME_BYTES:
            yield self._compressor.compress(bytes(self._pending[:FRAME_BYTES]))
            del self._pending[:FRAME_BYTES]

    def finish(self) -> Iterator[bytes]:
        """The last frame, if any bytes are left."""
        if self._pending:
            yield self._compressor.compress(bytes(self._pending))
            self._pending.clear()


def pack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The frames of a whole stream."""
    packer = Packer()
    for piece in pieces:
        yield from packer.add(piece)
    yield from packer.finish()


def unpack(frame: bytes) -> bytes:
    """The content of one frame. Never more than a frame holds, whatever a damaged header says."""
    try:
        if zstandard.frame_content_size(frame) > FRAME_BYTES:
            raise DamagedError("a frame of the archive states an impossible size")
        return zstandard.ZstdDecompressor().decompress(frame)
    except zstandard.ZstdError as error:
        raise DamagedError(f"a frame of the archive does not unpack: {error}") from error


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


def walk(file: BinaryIO) -> Iterator[Frame]:
    """The whole frames, in order; stops before a torn one, which a killed run may have left at the end."""
    end = file.seek(0, 2)
    packed, offset = 0, 0
    while packed + 8 <= end:
        file.seek(packed)
        head = file.read(18)
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


def _frame_extent(file: BinaryIO, packed: int, head: bytes) -> tuple[int, int]:
    """(content size, end of the frame in the file)."""
    try:
        parameters = zstandard.get_frame_parameters(head)
        at = packed + zstandard.frame_header_size(head)
    except zstandard.ZstdError:
        return 0, 1 << 62
    is_last = False
    while not is_last:
        file.seek(at)
        block = int.from_bytes(file.read(3).ljust(3, b"\xff"), "little")
        is_last, kind, size = bool(block & 1), (block >> 1) & 3, block >> 3
        at += 3 + (1 if kind == 1 else size)
    return parameters.content_size, at + (4 if parameters.has_checksum else 0)
