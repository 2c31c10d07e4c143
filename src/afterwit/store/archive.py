"""The archive: the original bytes of every transcript, compressed, one file each, appended to as the transcript grows.

Promises: what `flush` has returned for can be restored byte for byte, whatever happens afterwards. The database says
how many original bytes an object holds; anything behind that is the rest of a killed run and is cut off before the next
append. An object describes itself (its header names agent and path), so that the database can be rebuilt from the
archive alone. An original that is given up for space is replaced by its remains in one step: at every instant either
stands under its name. The archive is the one place that may hold secrets.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NewType

from afterwit.model.errors import DamagedError
from afterwit.store import frames
from afterwit.store.held import Held
from afterwit.store.regular_files import NotRegularError, open_regular
from afterwit.store.steps import step

ArchiveName = NewType("ArchiveName", str)

_ENDING = ".zst"
_BESIDE = ".leaving"
_MERGE_BELOW = frames.FRAME_BYTES // 2


class Stored(NamedTuple):
    """One object of the archive, as its own header describes it."""

    name: ArchiveName
    header: dict[str, Any]


def archive_name(key: bytes, generation: int) -> ArchiveName:
    """A name made of a hash: nothing that stands in a log becomes part of a path."""
    return ArchiveName(f"{key.hex()}-{generation}")


class Archive:
    """The objects below one folder. With an overlay, nothing below the folder changes: writes go to the overlay."""

    def __init__(self, root: Path, overlay: Path | None = None) -> None:
        self._root = root
        self._overlay = overlay
        self._unflushed: set[Path] = set()

    def append(self, name: ArchiveName, header: dict[str, Any], held_bytes: int, packed: Iterable[bytes]) -> None:
        """Adds frames behind the `held_bytes` original bytes that the object is known to hold."""
        path = self._writable(name)
        is_new = held_bytes == 0
        if is_new:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, 0o600), "r+b") as file:
            if is_new:
                file.truncate(0)
                file.write(frames.pack_header(header))
            else:
                _cut_behind(file, held_bytes, name)
            for frame in packed:
                file.write(frame)
        self._unflushed.add(path)
        step("frames are in the archive, not flushed")

    def flush(self) -> None:
        """Makes all appended frames durable, with the names of new files."""
        for path in self._unflushed:
            _sync(path)
        if os.name == "posix":
            for folder in {folder for path in self._unflushed for folder in path.parents[:2]}:
                _sync(folder)
        self._unflushed.clear()
        step("frames are durable in the archive")

    def read(self, name: ArchiveName, held_bytes: int | None = None) -> Iterator[bytes]:
        """The original bytes, in pieces. Raises DamagedError where they are not all there."""
        with self._open(name) as file:
            left = held_bytes
            if frames.is_remains(file):
                raise DamagedError(f"The archived file {name} holds its remains only; the original was dropped.")
            for frame in frames.walk(file):
                if left == 0:
                    return
                if left is not None and left < frame.length:
                    raise DamagedError(f"The archived file {name} has no frame that ends at byte {held_bytes}.")
                yield frames.unpack_at(file, frame)
                left = None if left is None else left - frame.length
            if left:
                raise DamagedError(f"The archived file {name} lacks its last {left} bytes.")

    def replace(self, name: ArchiveName, header: dict[str, Any], content: bytes) -> None:
        """Puts remains in the place of an original. Durable after the next `flush`."""
        path = self._writable(name)
        beside = path.with_suffix(_BESIDE)
        try:
            _write_new(beside, {**header, "role": frames.REMAINS}, frames.pack([content], frames.BEST_LEVEL))
            step("remains are written beside their original")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        self._unflushed.add(path)
        step("remains are in the place of their original")

    def clear_beside(self, name: ArchiveName) -> None:
        """Removes what a killed `replace` may have left."""
        self._writable(name).with_suffix(_BESIDE).unlink(missing_ok=True)

    def remains(self, name: ArchiveName) -> bytes:
        """What was kept of an original that is gone."""
        with self._open(name) as file:
            if not frames.is_remains(file):
                raise DamagedError(f"The archived file {name} should hold remains, and does not.")
            return b"".join(frames.unpack_at(file, frame) for frame in frames.walk(file))

    def is_remains(self, name: ArchiveName) -> bool:
        with self._open(name) as file:
            return frames.is_remains(file)

    def held(self, name: ArchiveName) -> Held:
        """The object, open for reading pieces of it. The caller closes it."""
        return Held(name, self._open(name))

    def digest(self, name: ArchiveName, held_bytes: int) -> str:
        """SHA-256 of the original bytes."""
        sha = hashlib.sha256()
        for piece in self.read(name, held_bytes):
            sha.update(piece)
        return sha.hexdigest()

    def names(self) -> Iterator[ArchiveName]:
        for path in sorted(self._root.glob(f"*/*{_ENDING}")):
            yield ArchiveName(path.name.removesuffix(_ENDING))

    def latest(self, key: bytes) -> ArchiveName | None:
        """The newest generation of a file that the archive holds."""
        folder = self._root / key.hex()[:2]
        found = [path.name.removesuffix(_ENDING) for path in folder.glob(f"{key.hex()}-*{_ENDING}")]
        return ArchiveName(max(found, key=lambda name: int(name.rpartition("-")[2]))) if found else None

    def header(self, name: ArchiveName) -> dict[str, Any]:
        with self.held(name) as held:
            return held.header

    def packed_bytes(self, name: ArchiveName) -> int:
        return self._readable(name).stat().st_size

    def remove(self, name: ArchiveName) -> None:
        self._path(self._overlay or self._root, name).unlink(missing_ok=True)

    def compact(self, name: ArchiveName, held_bytes: int) -> int:
        """Joins the small frames that appends have left. Returns the bytes gained; the original bytes stay the same."""
        with self._open(name) as file:
            index = list(frames.walk(file))
            if sum(frame.length < _MERGE_BELOW for frame in index) < 2:
                return 0
            before, header = file.seek(0, 2), frames.read_header(file)
        path = self._writable(name)
        beside = path.with_suffix(".compacting")
        try:
            _write_new(beside, header, frames.pack(self.read(name, held_bytes)))
            step("the compacted object is written beside the old one")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        return before - path.stat().st_size

    def _path(self, root: Path, name: ArchiveName) -> Path:
        return root / f"{name[:2]}/{name}{_ENDING}"

    def _readable(self, name: ArchiveName) -> Path:
        if self._overlay is not None:
            path = self._path(self._overlay, name)
            if path.exists():
                return path
        return self._path(self._root, name)

    def _writable(self, name: ArchiveName) -> Path:
        if self._overlay is None:
            return self._path(self._root, name)
        path, original = self._path(self._overlay, name), self._path(self._root, name)
        if not path.exists() and original.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(original, path)
        return path

    def _open(self, name: ArchiveName) -> BinaryIO:
        try:
            return open_regular(self._readable(name), buffering=0)
        except FileNotFoundError:
            raise DamagedError(f"The archived file {name} is missing.") from None
        except NotRegularError as error:
            raise DamagedError(f"The archived file {name} is none: {error.strerror}.") from error


def _write_new(path: Path, header: dict[str, Any], packed: Iterable[bytes]) -> None:
    """A whole object, durable before it returns."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(frames.pack_header(header))
        file.writelines(packed)
        file.flush()
        os.fsync(file.fileno())


def _cut_behind(file: BinaryIO, held_bytes: int, name: ArchiveName) -> None:
    """Leaves the file just behind the frame that completes `held_bytes`, and drops what follows."""
    for frame in frames.walk(file):
        if frame.offset + frame.length == held_bytes:
            end = frame.packed_offset + frame.packed_length
            file.seek(end)
            file.truncate(end)
            return
    raise DamagedError(f"The archived file {name} does not hold the {held_bytes} bytes that it should.")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
