"""Where the files of a home lie, how one is opened there, and its bytes as lines: in a folder of this machine, in a
folder at a URL that `fsspec` knows (S3, Google Cloud Storage, SFTP), or beside a task that was sent to another machine.

Whoever reads logs asks here, so that the same bytes give the same sessions wherever they lie. A place can be sent to
another process. What cannot be opened or read is an OSError; a URL that cannot be used at all is an error that names
it. Credentials are found where `fsspec` and the service's own tools look for them; none stand in a URL. `fsspec` is an
extra, loaded where a URL is given.

A line of any length costs its length. A `Tap` hands every byte that passes to whoever archives it. Packed logs (`.zst`)
are unpacked as they are read, in bounded pieces.
"""

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from afterwit.model import zstd
from afterwit.model.errors import AfterwitError, UsageError, install_command
from afterwit.model.readings import Problem
from afterwit.model.text import has_password
from afterwit.sources.framing import Framing
from afterwit.store.regular_files import open_regular


class LogFile(NamedTuple):
    path: PurePosixPath  # below the agent's home
    size_bytes: int
    mtime_ns: int
    inode: int


ListedFile = tuple[str, int, int, int]  # what a LogFile holds, its path a text: there are tens of thousands


_CHANGED = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")  # as file systems call it
_CONTENT = ("ETag", "etag", "md5Hash", "checksum", "sha256")
_BLOCK_BYTES = 4 << 20
_MOST_BYTES = 1 << 50
_LATEST_S = 1 << 33
_ONLY_HERE = frozenset(["file", "local", "memory"])


class RemoteFolder:
    """A folder at a URL. Credentials are found where `fsspec` and the service's own tools look for them."""

    def __init__(self, url: str) -> None:
        if has_password(url):
            raise UsageError(
                "A password stands in the URL of the logs, where others can read it. Leave it out: fsspec finds"
                " credentials in the service's own files and variables."
            )
        self.url = url.rstrip("/") if url.rstrip("/").partition("://")[2] else url

    def __reduce__(self) -> tuple[type["RemoteFolder"], tuple[str]]:
        return RemoteFolder, (self.url,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteFolder) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __truediv__(self, path: str | PurePosixPath) -> str:
        """For people: the URL of a file."""
        return f"{self.url}/{path}"

    def __str__(self) -> str:
        return self.url

    @property
    def is_only_here(self) -> bool:
        """Whether another machine would find something else there, or nothing."""
        return self.url.rpartition("::")[2].partition("://")[0] in _ONLY_HERE

    def listed(self) -> tuple[list[ListedFile], list[str]]:
        """Every file below it, and the names that no file of ours could have, or of which too little is told. Raises
        AfterwitError where it cannot be looked into."""
        try:
            entries: dict[str, dict[str, Any]] = self._files.find(self._root, detail=True)
        except AfterwitError:
            raise
        except Exception as error:
            raise AfterwitError(
                f"{self.url} cannot be looked into: {_reason(error)}. Check the address and the credentials, then run"
                " the command again."
            ) from error
        files: list[ListedFile] = []
        refused: list[str] = []
        for full, info in entries.items():
            path = full.removeprefix(self._prefix)
            listed = _list_entry(path, info) if full.startswith(self._prefix) and _is_plain(path) else None
            if listed is None:
                refused.append(full)
            else:
                files.append(listed)
        if not entries and not self._is_there():
            raise AfterwitError(f"{self.url}: there is no such folder, or nothing in it.")
        return sorted(files), sorted(refused)

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[BinaryIO, LogFile]]:
        with _as_os_errors():
            full = self._prefix + path
            listed = _list_entry(path, self._files.info(full))
            if listed is None:
                raise OSError("its size is not told")
            about = LogFile(PurePosixPath(path), *listed[1:])
            file = self._files.open(full, "rb", block_size=_BLOCK_BYTES)
        with file:
            yield _Steady(file), about

    def fetch(self, path: PurePosixPath, into: Path) -> None:
        """A file as a file of this machine, with its time."""
        place = into / path
        if not _is_plain(str(path)):
            raise OSError(f"{path} leads out of the folder")
        place.parent.mkdir(parents=True, exist_ok=True)
        with self.opened(str(path)) as (source, about), place.open("wb") as target:
            while block := source.read(_BLOCK_BYTES):
                target.write(block)
        os.utime(place, ns=(about.mtime_ns, about.mtime_ns))

    def _is_there(self) -> bool:
        with _as_os_errors():
            return bool(self._files.exists(self._root))

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise AfterwitError(
                f"{self.url} needs fsspec, which is not installed. Install it: `{install_command('cluster')}`."
                " For S3 install s3fs too; for other places fsspec says what it wants."
            ) from None
        try:
            files, root = url_to_fs(self.url, use_listings_cache=False)
        except Exception as error:
            raise AfterwitError(f"{self.url} cannot be opened: {_reason(error)}.") from error
        return files, root

    @property
    def _files(self) -> Any:
        return self._opened[0]

    @property
    def _root(self) -> str:
        return self._opened[1]

    @property
    def _prefix(self) -> str:
        own = self._root.rstrip("/")
        return own + "/" if own else str(self._files.root_marker)


class _Steady(io.RawIOBase, BinaryIO):
    """A file at a URL whose errors are those of files."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _as_os_errors():
            return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        with _as_os_errors():
            block = self._file.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


def _is_plain(path: str) -> bool:
    """Whether it is the path of a file below a folder, in the one form that it has."""
    is_below = bool(path) and "\0" not in path and not path.startswith("/") and ".." not in path.split("/")
    return is_below and str(PurePosixPath(path)) == path


def _list_entry(path: str, info: Mapping[str, Any]) -> ListedFile | None:
    """None, where its size is not told, or is none."""
    size = info.get("size")
    if not isinstance(size, int) or not 0 <= size < _MOST_BYTES:
        return None
    changed = next((info[name] for name in _CHANGED if info.get(name)), None)
    content = next((str(info[name]) for name in _CONTENT if info.get(name)), "")
    return path, size, _nanoseconds(changed), _number(content)


def _nanoseconds(moment: object) -> int:
    """Whatever a file system has for the time of a change; 0 where it does not tell. A date counts in whole seconds:
    some services tell more of it in a list than of one file."""
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            return 0
    if isinstance(moment, datetime):
        moment = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    is_time = isinstance(moment, int | float) and 0 <= moment < _LATEST_S  # which "not a number" is not
    return int(moment * 1_000_000_000) if is_time and isinstance(moment, int | float) else 0


def _number(content: str) -> int:
    """Stands for the inode: another one as soon as the content is."""
    return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=7).digest()) if content else 0


@contextmanager
def _as_os_errors() -> Iterator[None]:
    try:
        yield
    except (OSError, AfterwitError):
        raise
    except Exception as error:
        raise OSError(_reason(error)) from error


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")


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
def open_in(place: LogPlace, path: str | PurePosixPath) -> Iterator[tuple[BinaryIO, LogFile]]:
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
    return io.BufferedReader(Chunks(_unpack(raw)), _BUFFER_BYTES)


def _unpack(raw: io.RawIOBase) -> Iterator[bytes]:
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
