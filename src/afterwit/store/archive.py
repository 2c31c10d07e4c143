"""The archive: the original bytes of every transcript, compressed, one file each, appended to as the transcript grows.

Promises: what `flush` has returned for can be restored byte for byte, whatever happens afterwards. The database says
how many original bytes an object holds. What lies behind that is mostly the rest of a killed run, but the database may
also be an older one: so nothing that holds whole frames is ever cut off. Where new bytes do not continue what is there,
they go to the next generation. An object describes itself (its header names agent and path), so that the database can
be rebuilt from the archive alone. An original that is given up for space is replaced by its remains in one step: at
every instant either stands under its name. The archive is the one place that may hold secrets.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NewType

from afterwit.model.errors import DamagedError
from afterwit.store import frames
from afterwit.store.atomic import make_way, rename_into, replace_file, step, sync
from afterwit.store.frames import ArchivedFile, Frame
from afterwit.store.regular_files import NotRegularError, open_regular, read_regular

ArchiveName = NewType("ArchiveName", str)
_ENDING = ".zst"
_BESIDE = ".leaving"
_MARK = ".mark"
_MARK_MOST_BYTES = 1 << 16
_MERGE_BELOW = frames.FRAME_BYTES // 2


def generation_of(name: ArchiveName) -> int:
    number = name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def archive_name(key: bytes, generation: int) -> ArchiveName:
    """A name made of a hash: nothing that stands in a log becomes part of a path."""
    return ArchiveName(f"{key.hex()}-{generation}")


class Archive:
    """The objects below one folder. With an overlay, nothing below the folder changes: writes go to the overlay."""

    def __init__(self, root: Path, overlay: Path | None = None) -> None:
        self._root = root
        self._overlay = overlay
        self._unflushed: set[Path] = set()

    def append(
        self, name: ArchiveName, header: dict[str, Any], held_bytes: int, packed: Sequence[bytes]
    ) -> ArchiveName:
        """Adds frames behind the `held_bytes` original bytes that the object is known to hold. Returns the object that
        holds all of it then: a later generation, where this one holds other bytes that nobody knows of."""
        path = self._writable(name)
        if not held_bytes:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, 0o600), "r+b") as file:
            further = _further(file, name, header, held_bytes, packed)
            if further is not None:
                file.writelines(further)
        if further is None:
            before = frames.pack(self.read(name, held_bytes)) if held_bytes else ()
            name = self._next(name)
            path = self._writable(name)
            _write_new(path, {**header, "generation": generation_of(name)}, chain(before, packed))
        self._unflushed.add(path)
        step("frames are in the archive, not flushed")
        return name

    def flush(self) -> bool:
        """Makes all appended frames durable, with the names of new files. Whether there were any."""
        for path in self._unflushed:
            sync(path)
        for folder in {folder for path in self._unflushed for folder in path.parents[:2]}:
            sync(folder)
        has_changed = bool(self._unflushed)
        self._unflushed.clear()
        step("frames are durable in the archive")
        return has_changed

    def read(self, name: ArchiveName, held_bytes: int | None = None) -> Iterator[bytes]:
        """The original bytes, in pieces. Raises DamagedError where they are not all there."""
        with self._open(name) as file:
            left = held_bytes
            if frames.is_remains(file):
                raise DamagedError(f"The archived file {name} holds only what is kept of it; the original was dropped.")
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
        with rename_into(path, path.with_suffix(_BESIDE)) as beside:
            _write_new(beside, {**header, "role": frames.REMAINS}, frames.pack([content], frames.BEST_LEVEL))
            step("remains are written beside their original")
        self._unflushed.add(path)
        step("remains are in the place of their original")

    def clear_beside(self, name: ArchiveName) -> None:
        """Removes what a killed `replace` may have left."""
        self._writable(name).with_suffix(_BESIDE).unlink(missing_ok=True)

    def remains(self, name: ArchiveName) -> bytes:
        """What was kept of an original that is gone."""
        with self._open(name) as file:
            if not frames.is_remains(file):
                raise DamagedError(f"The archived file {name} should hold what is kept of it, and does not.")
            return b"".join(frames.unpack_at(file, frame) for frame in frames.walk(file))

    def is_remains(self, name: ArchiveName) -> bool:
        with self._open(name) as file:
            return frames.is_remains(file)

    def held(self, name: ArchiveName) -> ArchivedFile:
        """The object, open for reading pieces of it. The caller closes it."""
        return ArchivedFile(name, self._open(name))

    def digest(self, name: ArchiveName, held_bytes: int) -> str:
        """SHA-256 of the original bytes."""
        return self.held_bytes(name, held_bytes)[1]

    def held_bytes(self, name: ArchiveName, most_bytes: int | None = None) -> tuple[int, str]:
        """How many original bytes an object holds, and their SHA-256, as far as its whole frames go."""
        sha, size_bytes = hashlib.sha256(), 0
        for piece in self.read(name, most_bytes):
            sha.update(piece)
            size_bytes += len(piece)
        return size_bytes, sha.hexdigest()

    def rest_bytes(self, name: ArchiveName) -> int:
        """What follows the last whole frame: nothing, unless a run was killed there, or something is damaged."""
        with self._open(name) as file:
            return len(_rest(file, list(frames.walk(file))))

    def names(self) -> Iterator[ArchiveName]:
        for path in sorted(self._root.glob(f"*/*{_ENDING}")):
            yield ArchiveName(path.name.removesuffix(_ENDING))

    def sizes(self) -> dict[ArchiveName, int]:
        """What every object takes, in one look at the folders; 0 for one that lies in another folder than its own."""
        sizes: dict[ArchiveName, int] = {}
        for root in filter(None, (self._root, self._overlay)):
            for folder in _entries(root):
                for entry in _entries(folder):
                    if entry.name.endswith(_ENDING):
                        name = ArchiveName(entry.name.removesuffix(_ENDING))
                        is_in_place = name[:2] == folder.name
                        sizes[name] = (is_in_place and _size(entry)) or sizes.get(name, 0)
        return sizes

    def latest(self, key: bytes) -> ArchiveName | None:
        """The newest generation of a file that the archive holds."""
        folder = self._root / key.hex()[:2]
        names = [path.name.removesuffix(_ENDING) for path in folder.glob(f"{key.hex()}-*{_ENDING}")]
        return ArchiveName(max(names, key=lambda name: int(name.rpartition("-")[2]))) if names else None

    def header(self, name: ArchiveName) -> dict[str, Any]:
        with self.held(name) as file:
            return file.header

    def packed_bytes(self, name: ArchiveName) -> int:
        return self._readable(name).stat().st_size

    def has(self, name: ArchiveName) -> bool:
        """Whether anything lies under this name."""
        return os.path.lexists(self._readable(name))

    def size(self, name: ArchiveName) -> int:
        """The same, and 0 for one that is missing, which `verify` reports."""
        try:
            return self.packed_bytes(name)
        except OSError:
            return 0

    def remove(self, name: ArchiveName) -> None:
        self._path(self._overlay or self._root, name).unlink(missing_ok=True)

    def compact(self, name: ArchiveName, held_bytes: int, header: dict[str, Any] | None = None) -> int:
        """Joins the small frames that appends have left, or gives the object another header. Returns the bytes gained;
        the original bytes stay the same, and so does what lies behind them."""
        with self._open(name) as file:
            index = list(frames.walk(file))
            if header is None and sum(frame.length < _MERGE_BELOW for frame in index) < 2:
                return 0
            if not frames.is_torn(_rest(file, index)):
                raise DamagedError(f"The archived file {name} holds something between its frames.")
            before, header = file.seek(0, 2), header or frames.read_header(file)
            behind = [_frame_bytes(file, frame) for frame in index if frame.offset >= held_bytes]
        path = self._writable(name)
        with rename_into(path, path.with_suffix(".compacting")) as beside:
            _write_new(beside, header, chain(frames.pack(self.read(name, held_bytes)), behind))
            step("the compacted object is written beside the old one")
        return before - path.stat().st_size

    def read_mark(self) -> bytes | None:
        """What `archive_mark` wrote last. It lies beside the folder, under its name. Empty, if it cannot be read."""
        for root in (self._overlay, self._root):
            if root is not None and os.path.lexists(root.with_suffix(_MARK)):
                try:
                    return read_regular(root.with_suffix(_MARK), _MARK_MOST_BYTES)
                except OSError:
                    return b""
        return None

    def write_mark(self, content: bytes) -> None:
        path = (self._overlay or self._root).with_suffix(_MARK)
        make_way(path)
        replace_file(path, content)

    def _next(self, name: ArchiveName) -> ArchiveName:
        """The first generation of the same file that is free."""
        key = bytes.fromhex(name.rpartition("-")[0])
        generation = generation_of(name)
        while self._readable(archive_name(key, generation)).exists():
            generation += 1
        return archive_name(key, generation)

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
            raise DamagedError(
                f"The archived file {name} cannot be read: it {_lower(error.strerror or str(error))}."
            ) from error


def _entries(folder: "Path | os.DirEntry[str]") -> "list[os.DirEntry[str]]":
    """What lies in a folder; nothing where it is none."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat().st_size
    except OSError:
        return 0


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _write_new(path: Path, header: dict[str, Any], packed: Iterable[bytes]) -> None:
    """A whole object, durable before it returns."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(frames.pack_header(header))
        file.writelines(packed)
        file.flush()
        os.fsync(file.fileno())


def _further(
    file: BinaryIO, name: ArchiveName, header: dict[str, Any], held_bytes: int, packed: Sequence[bytes]
) -> Sequence[bytes] | None:
    """What is to be written where the file is left, so that it holds the new frames behind the held bytes; None, where
    it holds something else there. Cuts off nothing but a frame, or a header, that was never completed."""
    if not held_bytes and _is_begun(file, header):
        file.seek(0)
        file.truncate(0)
        return [frames.pack_header(header), *packed]
    index = list(frames.walk(file))
    before = [frame for frame in index if frame.offset < held_bytes]
    if sum(frame.length for frame in before) != held_bytes:
        raise DamagedError(f"The archived file {name} does not hold the {held_bytes} bytes that it should.")
    if not frames.is_torn(_rest(file, index)) or not (held_bytes or _has_header(file, header)):
        return None
    further = _frames_to_add(file, index[len(before) :], packed) if len(index) > len(before) else packed
    if further is None:
        return None
    end = _end(file, index)
    file.seek(end)
    file.truncate(end)
    return further


def _frames_to_add(file: BinaryIO, frames_there: Sequence[Frame], packed: Sequence[bytes]) -> Sequence[bytes] | None:
    """The frames without what the file holds of them already; None if it holds something else."""
    try:
        before = b"".join(frames.unpack_at(file, frame) for frame in frames_there)
    except DamagedError:
        return None
    content = b"".join(frames.unpack(frame) for frame in packed)
    return list(frames.pack([content[len(before) :]])) if content.startswith(before) else None


def _is_begun(file: BinaryIO, header: dict[str, Any]) -> bool:
    """Whether the file has at most a part of this header."""
    wanted = frames.pack_header(header)
    file.seek(0)
    beginning = file.read(len(wanted))
    return len(beginning) < len(wanted) and wanted.startswith(beginning)


def _has_header(file: BinaryIO, header: dict[str, Any]) -> bool:
    try:
        return frames.read_header(file) == header
    except DamagedError:
        return False


def _rest(file: BinaryIO, index: Sequence[Frame]) -> bytes:
    """What follows the last whole frame."""
    file.seek(_end(file, index))
    return file.read()


def _end(file: BinaryIO, index: Sequence[Frame]) -> int:
    """Where the last whole frame ends, or the header."""
    if index:
        return index[-1].packed_offset + index[-1].packed_length
    return frames.header_length(file)


def _frame_bytes(file: BinaryIO, frame: Frame) -> bytes:
    file.seek(frame.packed_offset)
    return file.read(frame.packed_length)
