"""Where a backup can lie: opens the target that a text names, a path or a URL that `fsspec` knows.

Texts with `://` are for `fsspec`, the rest are folders, on this machine or on a disk that is mounted here. Files of a
folder are written beside their place, flushed and renamed, private to the user. Links in it are not followed, and what
is no regular file is not read: somebody else may have put it there.

By URL it is any place that `fsspec` reaches: S3, Google Cloud Storage, Azure, SFTP, WebDAV, and more with its plugins.
Credentials and endpoints are found where `fsspec` and the service's own tools look for them: their variables, their
files, an agent of keys. None stand in a URL here. A file appears whole on object stores; elsewhere it is written under
another name first.
"""

import datetime as dt
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from afterwit.config.world import World
from afterwit.model.errors import BackupDamagedError, BackupError, UsageError, install_command
from afterwit.model.text import has_password, regex
from afterwit.store.atomic import create_file, make_private, replace_file, step
from afterwit.store.regular_files import NotRegularError, open_regular

_SCP = regex(r"[\w.-]+@[\w.-]+:(?!//)\S+")
_FILE = "file://"
_GIT = "git+"


class Target:
    """Named bytes somewhere. All methods raise BackupError where the place cannot be used."""

    place: str  # for people
    leaves_machine = True  # what is put there is out of this machine's hands
    at_once = 1  # so many may be read or written at the same time

    def names(self) -> dict[str, int | None]:
        """Everything of ours that is there, with its size where that is told."""
        raise NotImplementedError

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """None, where there is nothing of this name; at most one byte more than asked for."""
        raise NotImplementedError

    def write(self, name: str, content: bytes) -> None:
        """Whole, or not at all."""
        raise NotImplementedError

    def begin(self, name: str, content: bytes) -> bool:
        """Writes it where there is nothing of this name; False where there is."""
        raise NotImplementedError

    def remove(self, names: Iterable[str]) -> None:
        raise NotImplementedError

    def written_ms(self, name: str) -> int | None:  # noqa: ARG002 - not every place tells
        """When it was written, by the clock of the target; None where that is not told."""
        return None


@contextmanager
def tell_as_failures(place: str, what: str) -> Iterator[None]:
    """Whatever a backend raises becomes an error of ours that names the place."""
    try:
        yield
    except BackupError:
        raise
    except Exception as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise BackupError(
            f"{what} {place} failed: {said}. The last complete backup is as it was. Check the place, then run the"
            " command again."
        ) from error


class FolderTarget(Target):
    leaves_machine = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = str(folder)
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise BackupError(f"{folder} is no folder, or a link to one. Name the folder itself.")

    def names(self) -> dict[str, int | None]:
        with tell_as_failures(self.place, "Looking into"):
            return dict(self._walk(self._folder, "")) if self._folder.exists() else {}

    def read(self, name: str, most_bytes: int) -> bytes | None:
        path = self._folder / name
        with tell_as_failures(self.place, "Reading from"):
            if any(parent.is_symlink() for parent in (path, *path.parents[: name.count("/")])):
                raise BackupDamagedError(f"{path} is a link, or lies behind one. A backup has none: remove it.")
            try:
                with open_regular(path) as file:
                    return file.read(most_bytes + 1)
            except (FileNotFoundError, NotADirectoryError):
                return None
            except NotRegularError as error:
                raise BackupDamagedError(f"{path} is no file ({error.strerror}). Remove it.") from error

    def write(self, name: str, content: bytes) -> None:
        path = self._folder / name
        with tell_as_failures(self.place, "Writing to"):
            make_private(path.parent)
            replace_file(path, content)

    def begin(self, name: str, content: bytes) -> bool:
        path = self._folder / name
        with tell_as_failures(self.place, "Writing to"):
            make_private(path.parent)
            return create_file(path, content)

    def written_ms(self, name: str) -> int | None:
        try:
            return (self._folder / name).lstat().st_mtime_ns // 1_000_000
        except OSError:
            return None

    def remove(self, names: Iterable[str]) -> None:
        with tell_as_failures(self.place, "Removing from"):
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
                step("a file of a backup is removed")

    def _walk(self, folder: Path, prefix: str) -> Iterator[tuple[str, int | None]]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and prefix.count("/") < 2:
                    yield from self._walk(Path(entry.path), f"{prefix}{entry.name}/")
                elif S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                    yield prefix + entry.name, entry.stat(follow_symlinks=False).st_size


def is_folder(text: str) -> bool:
    return "://" not in text or text.startswith(_FILE)


def absolute_target(text: str, user_home: Path, start: Path) -> str:
    """The text as it means the same wherever the program is started."""
    if not text.strip() or not text.isprintable():
        raise UsageError(f"{text!r} names no place for a backup. Name a folder or a URL.")
    _refuse_unfit(text)
    if not is_folder(text):
        return text
    path = text.removeprefix(_FILE)
    if path == "~" or path.startswith("~/"):
        return str(user_home / path[2:])
    return str(start / path)


def target_of_settings(world: World) -> str:
    """The one of the settings; "" where none is set. A folder is named from the user's home."""
    target = world.settings.backup.target
    return absolute_target(target, world.user_home, world.user_home) if target else ""


def target_at(text: str) -> Target:
    _refuse_unfit(text)
    if is_folder(text):
        return FolderTarget(Path(text.removeprefix(_FILE)))

    return RemoteTarget(text)


def _refuse_unfit(text: str) -> None:
    if has_password(text.removeprefix(_GIT)):
        raise UsageError(
            "A password stands in the URL of the backup, where others can read it. Leave it out: fsspec finds"
            " credentials in the service's own files and variables."
        )
    if text.startswith(_GIT) or _SCP.fullmatch(text) or ("://" in text and text.endswith(".git")):
        raise UsageError(
            f"{text} is a git remote, which only earlier versions wrote backups to. Clone its branch afterwit-backup,"
            " and name the folder of the clone."
        )


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
