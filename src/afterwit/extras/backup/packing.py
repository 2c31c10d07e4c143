"""Packs the files of a snapshot: pieces that are at the target already are named, the others are put there in objects.

Many small pieces travel as one object, because every object costs a request and an encryption. Pieces of an object of
which the snapshot before needed less than half are sent anew: so old objects become free to be pruned, and a target
never holds much more than it needs.

What was sent is noted on this machine, so that a run that was stopped does not send it again. The note holds hashes of
pieces, and is gone when the snapshot is complete. What was sent long ago is not built on: another machine may just be
removing it, as nothing names it.
"""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.extras.backup.contents import StoreFile
from afterwit.extras.backup.manifest import Manifest, PackedObject, SnapshotFile, StoredPiece
from afterwit.extras.backup.pieces import hash_of_piece, pieces_of
from afterwit.extras.backup.transfers import Transfers
from afterwit.extras.backup.vault import UNNAMED_MS, Vault
from afterwit.model import zstd
from afterwit.model.learn_run import Progress
from afterwit.store.atomic import PRIVATE, step
from afterwit.store.regular_files import read_regular

_OBJECT_BYTES = 8 << 20
_SPARSE_SHARE = 0.5
_LEVEL = 3
_NOTED_MS = UNNAMED_MS // 2


class _Stored(NamedTuple):
    """A piece that lies at the target."""

    packed: PackedObject
    offset: int
    stored_bytes: int
    length: int


class _SentObject(msgspec.Struct, frozen=True, array_like=True):
    """A line of the note."""

    vault: str
    name: str
    size_bytes: int
    pieces: tuple[tuple[str, int, int, int], ...]  # hash, offset, bytes stored, length
    at_ms: int = 0


class PackedFiles(NamedTuple):
    objects: tuple[PackedObject, ...]
    pieces: tuple[StoredPiece, ...]
    files: tuple[SnapshotFile, ...]
    sent: tuple[PackedObject, ...]  # by this run


class Packing:
    """One snapshot while it is packed."""

    def __init__(self, vault: Vault, before: Manifest | None, note: Path, now_ms: int) -> None:
        self._vault = vault
        self._note = note
        self._now_ms = now_ms
        self._transfers = Transfers(vault.target.at_once)
        self._there = _pieces_there(vault, before) | _pieces_sent(vault, note, now_ms - _NOTED_MS)
        self._files_before = {file.path: file for file in before.files} if before else {}
        self._before = before
        self._compressor = zstd.Compressor(_LEVEL)
        self._objects: dict[PackedObject, int] = {}
        self._numbers: dict[bytes, int] = {}  # of pieces, by hash
        self._pieces: list[StoredPiece | None] = []  # None: in the object that is being filled
        self._waiting: list[tuple[bytes, int, int, int]] = []  # hash, offset, bytes stored, length
        self._content = bytearray()
        self._sent: list[PackedObject] = []

    def packed(self, files: Iterable[StoreFile], progress: Progress) -> PackedFiles:
        listed = []
        with self._transfers:
            for file in files:
                packed = self._as_before(file) or self._read(file)
                if packed is not None:
                    listed.append(packed)
                progress.advance(1, file.size_bytes)
            self._send()
        pieces = tuple(piece for piece in self._pieces if piece is not None)
        return PackedFiles(tuple(self._objects), pieces, tuple(listed), tuple(self._sent))

    def _as_before(self, file: StoreFile) -> SnapshotFile | None:
        """Without reading it, where it is the file that it was and all of it is there."""
        earlier = self._files_before.get(file.path)
        if self._before is None or earlier is None or not file.stamp or earlier.stamp != file.stamp:
            return None
        hashes = [self._before.pieces[number].hash for number in earlier.pieces]
        if not all(piece in self._numbers or piece in self._there for piece in hashes):
            return None
        return SnapshotFile(file.path, file.size_bytes, tuple(map(self._number, hashes)), file.stamp)

    def _read(self, file: StoreFile) -> SnapshotFile | None:
        """None, where a hook's file was taken in meanwhile."""
        numbers, size_bytes = [], 0
        try:
            for content in pieces_of(file.path, file.source):
                numbers.append(self._added(content))
                size_bytes += len(content)
        except FileNotFoundError:
            return None
        stamp = file.stamp if size_bytes == file.size_bytes else ()
        return SnapshotFile(file.path, size_bytes, tuple(numbers), stamp)

    def _added(self, content: bytes) -> int:
        piece = hash_of_piece(content)
        if piece in self._numbers or piece in self._there:
            return self._number(piece)
        compressed = self._compressor.compress(content)
        stored = compressed if len(compressed) < len(content) else content
        self._numbers[piece] = len(self._pieces)
        self._pieces.append(None)
        self._waiting.append((piece, len(self._content), len(stored), len(content)))
        self._content += stored
        if len(self._content) >= _OBJECT_BYTES:
            self._send()
        return self._numbers[piece]

    def _number(self, piece: bytes) -> int:
        """Of a piece that is at the target, or was packed before."""
        if piece not in self._numbers:
            stored = self._there[piece]
            self._numbers[piece] = len(self._pieces)
            number = self._objects.setdefault(stored.packed, len(self._objects))
            self._pieces.append(StoredPiece(piece, number, stored.offset, stored.stored_bytes, stored.length))
        return self._numbers[piece]

    def _send(self) -> None:
        if not self._waiting:
            return
        packed, sealed = self._vault.sealed(bytes(self._content))
        self._sent.append(packed)
        number = self._objects.setdefault(packed, len(self._objects))
        for piece, offset, stored_bytes, length in self._waiting:
            self._pieces[self._numbers[piece]] = StoredPiece(piece, number, offset, stored_bytes, length)
        pieces = tuple((piece.hex(), at, stored_bytes, length) for piece, at, stored_bytes, length in self._waiting)
        self._transfers.begin(partial(self._vault.put_sealed, packed, sealed), partial(self._note_sent, packed, pieces))
        self._waiting, self._content = [], bytearray()

    def _note_sent(self, packed: PackedObject, pieces: tuple[tuple[str, int, int, int], ...]) -> None:
        step("an object of a backup is stored")
        if not self._vault.target.keeps_at_once:
            return
        sent = _SentObject(self._vault.header.id, packed.name, packed.size_bytes, pieces, self._now_ms)
        line = msgspec.json.encode(sent) + b"\n"
        handle = os.open(self._note, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)


def _pieces_there(vault: Vault, before: Manifest | None) -> dict[bytes, _Stored]:
    if before is None:
        return {}
    is_kept = [
        vault.has(packed) and live >= _SPARSE_SHARE * packed.size_bytes
        for packed, live in zip(before.objects, before.live_bytes, strict=True)
    ]
    return {
        piece.hash: _Stored(before.objects[piece.object], piece.offset, piece.stored_bytes, piece.length)
        for piece in before.pieces
        if is_kept[piece.object]
    }


def _pieces_sent(vault: Vault, note: Path, since_ms: int) -> dict[bytes, _Stored]:
    """What a run that was stopped has sent to this backup since then."""
    return {
        bytes.fromhex(piece): _Stored(PackedObject(sent.name, sent.size_bytes), *place)
        for sent in _lines(note)
        if sent.at_ms > since_ms
        and sent.vault == vault.header.id
        and vault.has(PackedObject(sent.name, sent.size_bytes))
        for piece, *place in sent.pieces
    }


def _lines(note: Path) -> Iterator[_SentObject]:
    """The last one may have been cut off."""
    try:
        lines = read_regular(note).splitlines()
    except OSError:
        return
    for line in lines:
        try:
            yield msgspec.json.decode(line, type=_SentObject)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
