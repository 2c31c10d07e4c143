"""Any place that `fsspec` reaches by a URL: S3, Google Cloud Storage, Azure, SFTP, WebDAV, and more with its plugins.

Credentials and endpoints are found where `fsspec` and the service's own tools look for them: their variables, their
files, an agent of keys. None stand in a URL here. A file appears whole on object stores; elsewhere it is written under
another name first.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from afterwit.extras.backup.targets.at import Target, tell_as_failures
from afterwit.model.errors import BackupError, install_command
from afterwit.store.atomic import step

_BESIDE = ".part"
_AT_ONCE = frozenset(["s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "memory"])  # whole, or not there


class RemoteTarget(Target):
    at_once = 4

    def __init__(self, url: str) -> None:
        scheme = url.partition("://")[0]
        self.place = url
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise BackupError(
                f"{url} needs fsspec, which is not installed. Install it: `{install_command('backup')}`."
                " For S3 install s3fs too; for other places fsspec says what it wants."
            ) from None
        with tell_as_failures(url, "Opening"):
            self._files, self._root = _open(url_to_fs, url)
        self._is_whole = bool(_AT_ONCE & {scheme})
        self._times: dict[str, int | None] = {}

    def names(self) -> dict[str, int | None]:
        with tell_as_failures(self.place, "Looking into"):
            self._files.invalidate_cache()
            try:
                listed: dict[str, Any] = self._files.find(self._root, detail=True)
            except FileNotFoundError:
                return {}
            prefix = self._root.rstrip("/") + "/"
            ours = {
                path.removeprefix(prefix): entry
                for path, entry in listed.items()
                if path.startswith(prefix) and not path.endswith(_BESIDE)
            }
            self._times = {name: _time_in(entry) for name, entry in ours.items()}
            return {name: entry.get("size") for name, entry in ours.items()}

    def read(self, name: str, most_bytes: int) -> bytes | None:
        with tell_as_failures(self.place, "Reading from"):
            try:
                content: bytes = self._files.cat_file(self._path(name), start=0, end=most_bytes + 1)
            except FileNotFoundError:
                return None
            return content

    def write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        with tell_as_failures(self.place, "Writing to"):
            if self._is_whole:
                self._files.pipe_file(path, content)
                return
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path + _BESIDE, content)
            self._files.mv(path + _BESIDE, path)

    def begin(self, name: str, content: bytes) -> bool:
        """Exclusively where the service can do that; elsewhere it is read back, so that of two one gives way."""
        if self.read(name, len(content)) is not None:
            return False
        with tell_as_failures(self.place, "Writing to"):
            if self._is_whole:
                try:
                    self._files.pipe_file(self._path(name), content, mode="create")
                except FileExistsError:
                    return False
                except (NotImplementedError, TypeError):  # a backend that does not know how
                    self._files.pipe_file(self._path(name), content)
        if not self._is_whole:
            self.write(name, content)
        return self.read(name, len(content)) == content

    def written_ms(self, name: str) -> int | None:
        """As it was listed last."""
        return self._times.get(name)

    def remove(self, names: Iterable[str]) -> None:
        with tell_as_failures(self.place, "Removing from"):
            for name in names:
                with suppress(FileNotFoundError):  # another prune was faster
                    self._files.rm_file(self._path(name))
                step("a file of a backup is removed")

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"


def _time_in(entry: Mapping[str, Any]) -> int | None:
    """When a file was written, under the names that backends have for it."""
    for name in ("LastModified", "mtime", "updated", "last_modified", "modified", "created"):
        moment = entry.get(name)
        if isinstance(moment, str):
            try:
                moment = dt.datetime.fromisoformat(moment)
            except ValueError:
                continue
        if isinstance(moment, dt.datetime):
            moment = (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
        if isinstance(moment, int | float):
            return round(moment * 1000)
    return None


def _open(url_to_fs: Any, url: str) -> tuple[Any, str]:
    try:
        files, root = url_to_fs(url, use_listings_cache=False)
    except TypeError:  # a backend that does not know the option
        files, root = url_to_fs(url)
    return files, root
