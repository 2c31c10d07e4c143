"""Cuts files into pieces, so that what did not change has the same pieces as before.

An archived file grows by frames at its end: it is cut between frames, as soon as a piece has enough bytes, so that all
pieces but the last stay as they were. A database changes page by page, here and there: it is cut into short blocks of
equal length. Everything else is cut into long ones.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from afterwit.extras.backup.manifest import DATABASES, HASH_BYTES, MOST_PIECE_BYTES
from afterwit.store import frames
from afterwit.store.regular_files import open_regular

_PAGES_BYTES = 16 << 10  # of a database: a session more changes 114 such blocks of 2,468, and 59 of 154 of 256 KB
_BLOCK_BYTES = 256 << 10
_ARCHIVED = "archive/"


def hash_of_piece(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=HASH_BYTES).digest()


def pieces_of(path: str, source: Path) -> Iterator[bytes]:
    """The content of the file, piece by piece. `path` is what it is called in the store."""
    with open_regular(source) as file:
        if path.startswith(_ARCHIVED):
            yield from _between_frames(file)
        else:
            yield from _blocks(file, _PAGES_BYTES if path in DATABASES else _BLOCK_BYTES)


def _between_frames(file: BinaryIO) -> Iterator[bytes]:
    """Header and frames; what lies behind the last whole frame, or is none, comes as blocks."""
    ends = [frame.packed_offset + frame.packed_length for frame in frames.walk(file)]
    begin = 0
    file.seek(0)
    for end in ends:
        if _BLOCK_BYTES <= end - begin <= MOST_PIECE_BYTES:
            yield file.read(end - begin)
            begin = end
    yield from _blocks(file, _BLOCK_BYTES)


def _blocks(file: BinaryIO, length: int) -> Iterator[bytes]:
    while content := file.read(length):
        yield content
