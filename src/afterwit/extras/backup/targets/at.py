"""Where a backup can lie: opens the target that a text names, a path or a URL that `fsspec` knows.

Texts with `://` are for `fsspec`, the rest are folders, on this machine or on a disk that is mounted here. Files of a
folder are written beside their place, flushed and renamed, private to the user. Links in it are not followed, and what
is no regular file is not read: somebody else may have put it there.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG

from afterwit.config.world import World
from afterwit.model.errors import BackupDamagedError, BackupError, UsageError
from afterwit.model.text import has_password
from afterwit.store.atomic import create_file, make_private, replace_file, step
from afterwit.store.regular_files import NotRegularError, open_regular

_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//)\S+")
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
    from afterwit.extras.backup.targets.remote import RemoteTarget

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
