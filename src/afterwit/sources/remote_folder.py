"""A folder of logs at a URL that `fsspec` knows: S3, Google Cloud Storage, SFTP, and more with its plugins.

Credentials are found where `fsspec` and the service's own tools look for them: their variables, their files. None stand
in a URL here. What a library behind a URL raises becomes an OSError where a file is read, as for any other file, and
an error that names the URL where the folder cannot be used at all. `fsspec` is an extra, loaded where a URL is given.
"""

import hashlib
import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from afterwit.model.errors import AfterwitError
from afterwit.sources.log_files import ListedFile, LogFile

_CHANGED = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")  # as file systems call it
_CONTENT = ("ETag", "etag", "md5Hash", "checksum", "sha256")
_BLOCK_BYTES = 4 << 20


class RemoteFolder:
    """A folder at a URL. Credentials are found where `fsspec` and the service's own tools look for them."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

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

    def listed(self) -> list[ListedFile]:
        """Every file below it. Raises AfterwitError where it cannot be looked into."""
        try:
            entries: dict[str, dict[str, Any]] = self._files.find(self._root, detail=True)
        except AfterwitError:
            raise
        except Exception as error:
            raise AfterwitError(
                f"{self.url} cannot be looked into: {_said(error)}. Check the address and the credentials, then run the"
                " command again."
            ) from error
        prefix = self._root.rstrip("/") + "/"
        inside = ((path.removeprefix(prefix), info) for path, info in entries.items() if path.startswith(prefix))
        files = [_listed(path, info) for path, info in inside if ".." not in path.split("/")]
        if not files and not self._is_there():
            raise AfterwitError(f"{self.url}: there is no such folder, or nothing in it.")
        return sorted(files)

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[BinaryIO, LogFile]]:
        with _as_os_errors():
            full = f"{self._root.rstrip('/')}/{path}"
            about = LogFile(PurePosixPath(path), *_listed(path, self._files.info(full))[1:])
            file = self._files.open(full, "rb", block_size=_BLOCK_BYTES)
        with file:
            yield _Steady(file), about

    def fetch(self, path: PurePosixPath, into: Path) -> None:
        """A file as a file of this machine, with its time."""
        place = into / path
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
        scheme = self.url.partition("://")[0]
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise AfterwitError(
                f"{self.url} needs fsspec, which is not installed. Install afterwit[cluster], and what fsspec wants for"
                f" {scheme}:// (for S3: s3fs)."
            ) from None
        try:
            files, root = url_to_fs(self.url, use_listings_cache=False)
        except Exception as error:
            raise AfterwitError(f"{self.url} cannot be opened: {_said(error)}.") from error
        return files, root

    @property
    def _files(self) -> Any:
        return self._opened[0]

    @property
    def _root(self) -> str:
        return self._opened[1]


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


def _listed(path: str, info: Mapping[str, Any]) -> ListedFile:
    changed = next((info[name] for name in _CHANGED if info.get(name)), None)
    content = next((str(info[name]) for name in _CONTENT if info.get(name)), "")
    return path, int(info.get("size") or 0), _nanoseconds(changed), _number(content)


def _nanoseconds(moment: object) -> int:
    """Whatever a file system has for the time of a change; 0 where it does not tell."""
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            return 0
    if isinstance(moment, datetime):
        moment = moment.timestamp()
    return int(moment * 1_000_000_000) if isinstance(moment, int | float) else 0


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
        raise OSError(_said(error)) from error


def _said(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")
