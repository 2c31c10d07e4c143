"""What one snapshot of a store consists of: files, the pieces that they are made of, and the objects that hold pieces.

A piece is an object of its own. Earlier versions put many into one; so a piece says where in its object it lies.
A manifest comes from a place that others may write to. So everything in it is checked before it is used: names and
paths can lead nowhere but into their own folders, and no size can be larger than what a backup of ours has. Pure.
"""

import hashlib

import msgspec

from afterwit.model.errors import BackupDamagedError
from afterwit.model.text import regex

FORMAT = 1
MOST_PIECE_BYTES = 4 << 20
MOST_OBJECT_BYTES = 32 << 20
MOST_MANIFEST_BYTES = 512 << 20  # unpacked
HASH_BYTES = 20
_OBJECT = regex(r"[0-9a-f]{64}")
_PART = regex(r"[^\x00-\x1f/\\:\x7f]{1,255}")
_SINGLE = frozenset(
    [
        *("afterwit.db", "journal.db", "memory-queue.db", "journal.heads", "archive.mark", "redaction.key"),
        *("config.toml", "bootstrap-context.md", "views.json", "deck.db"),
    ]
)
_FOLDERS = {"archive": 3, "spool": 2, "templates": 2, "patterns": 4, "metrics": 2, "deck": 2, "sources": 2}
PARTS = (*sorted(_SINGLE), *_FOLDERS)  # of a store, by the names they have in its folder


class StoredPiece(msgspec.Struct, frozen=True, array_like=True):
    """Consecutive bytes of a file. Fewer bytes are stored than it has where it is compressed."""

    hash: bytes
    object: int  # which of the manifest's objects
    offset: int
    stored_bytes: int
    length: int


class PackedObject(msgspec.Struct, frozen=True, array_like=True):
    """What lies at the target under one name: the SHA-256 of its bytes as they lie there."""

    name: str
    size_bytes: int


class SnapshotFile(msgspec.Struct, frozen=True, array_like=True):
    path: str  # below the store's folder
    size_bytes: int
    pieces: tuple[int, ...]  # which of the manifest's pieces, in order
    stamp: tuple[int, ...] = ()  # size, times and number of the file it was read from; () where it is always read


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot."""

    format: int = FORMAT
    created_ms: int
    program: str  # the version that made it
    machine: str  # whose journal it is
    sessions: int
    content_hash: str
    objects: tuple[PackedObject, ...]
    pieces: tuple[StoredPiece, ...]
    files: tuple[SnapshotFile, ...]
    looked_at: str = ""  # the last object of those before that was read to see whether it is damaged

    @property
    def total_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


def pack_manifest(manifest: Manifest) -> bytes:
    from afterwit.model import zstd

    return zstd.Compressor(level=9).compress(msgspec.msgpack.encode(manifest))


def manifest_in(packed: bytes, name: str) -> Manifest:
    """The manifest in these bytes, checked. `name` names it in complaints."""
    from afterwit.model import zstd

    try:
        if zstd.content_bytes(packed) > MOST_MANIFEST_BYTES:
            raise BackupDamagedError(f"{name} states an impossible size. Use another snapshot.")
        content = zstd.unpack(packed, MOST_MANIFEST_BYTES)
        probe = msgspec.msgpack.decode(content, type=_Format)
        if probe.format != FORMAT:
            raise BackupDamagedError(f"{name} has the format {probe.format}; this afterwit knows {FORMAT}. Upgrade.")
        manifest = msgspec.msgpack.decode(content, type=Manifest)
    except (msgspec.MsgspecError, zstd.ZstdError, UnicodeDecodeError, MemoryError) as error:
        raise BackupDamagedError(f"{name} is no list of files that afterwit wrote: {error}.") from error
    fault = _fault(manifest)
    if fault:
        raise BackupDamagedError(f"{name} is not what afterwit writes: {fault}. Nothing of it is used.")
    return manifest


def hash_of_piece(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=HASH_BYTES).digest()


def piece_in(content: bytes, piece: StoredPiece, name: str) -> bytes:
    """A piece of an object, unpacked and checked."""
    from afterwit.model import zstd

    stored = content[piece.offset : piece.offset + piece.stored_bytes]
    try:
        if piece.stored_bytes < piece.length:
            stored = zstd.unpack(stored, piece.length)
    except zstd.ZstdError as error:
        raise BackupDamagedError(f"A piece of the object {name} does not unpack ({error}).") from error
    if len(stored) != piece.length or hash_of_piece(stored) != piece.hash:
        raise BackupDamagedError(f"A piece of the object {name} is not what was put there.")
    return stored


def is_safe_path(path: str) -> bool:
    """Whether it names a part of a store, and nothing outside of it."""
    parts = path.split("/")
    if not all(_PART.fullmatch(part) and part not in (".", "..") for part in parts):
        return False
    if len(parts) == 1:
        return path in _SINGLE
    return 2 <= len(parts) <= _FOLDERS.get(parts[0], 0)


class _Format(msgspec.Struct):
    format: int


def _fault(manifest: Manifest) -> str:
    """What cannot be; "" if all of it can."""
    for packed in manifest.objects:
        if not _OBJECT.fullmatch(packed.name) or not 0 <= packed.size_bytes <= MOST_OBJECT_BYTES:
            return f"it names an object {packed.name[:80]!r} of {packed.size_bytes} bytes"
    for piece in manifest.pieces:
        if not 0 <= piece.object < len(manifest.objects) or len(piece.hash) != HASH_BYTES:
            return "a piece lies in no object of its"
        if not (0 <= piece.stored_bytes <= piece.length <= MOST_PIECE_BYTES and piece.length and piece.offset >= 0):
            return f"a piece of {piece.length} bytes is stored in {piece.stored_bytes}"
        if piece.offset + piece.stored_bytes > MOST_OBJECT_BYTES:
            return "a piece lies behind the end of its object"
    paths: set[str] = set()
    for file in manifest.files:
        if not is_safe_path(file.path) or file.path.casefold() in paths:
            return f"it names a file {file.path[:200]!r}"
        paths.add(file.path.casefold())
        if not all(0 <= number < len(manifest.pieces) for number in file.pieces):
            return f"{file.path} has pieces that are not there"
        if sum(manifest.pieces[number].length for number in file.pieces) != file.size_bytes:
            return f"{file.path} is said to have {file.size_bytes} bytes, and its pieces have others"
    return ""
