"""A folder on this machine, or on a disk that is mounted here.

Files are written beside their place, flushed and renamed, private to the user. Links are not followed, and what is no
regular file is not read: somebody else may have put it there.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from stat import S_ISREG

from afterwit.extras.backup.targets.target import told_as_failures
from afterwit.model.errors import BackupDamagedError, BackupError
from afterwit.store.atomic import create_file, make_private, replace_file, step
from afterwit.store.regular_files import NotRegularError, open_regular


class FolderTarget:
    leaves_machine = False
    keeps_at_once = True
    at_once = 1

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = str(folder)
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise BackupError(f"{folder} is no folder, or a link to one. Name the folder itself.")

    def names(self) -> dict[str, int | None]:
        with told_as_failures(self.place, "Looking into"):
            return dict(self._walk(self._folder, "")) if self._folder.exists() else {}

    def read(self, name: str, most_bytes: int) -> bytes | None:
        path = self._folder / name
        with told_as_failures(self.place, "Reading from"):
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
        with told_as_failures(self.place, "Writing to"):
            make_private(path.parent)
            replace_file(path, content)

    def begin(self, name: str, content: bytes) -> bool:
        path = self._folder / name
        with told_as_failures(self.place, "Writing to"):
            make_private(path.parent)
            return create_file(path, content)

    def written_ms(self, name: str) -> int | None:
        try:
            return (self._folder / name).lstat().st_mtime_ns // 1_000_000
        except OSError:
            return None

    def remove(self, names: Iterable[str]) -> None:
        with told_as_failures(self.place, "Removing from"):
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
                step("a file of a backup is removed")

    def publish(self, message: str, *, is_pruned: bool = False) -> None:
        """All of it is there."""

    def _walk(self, folder: Path, prefix: str) -> Iterator[tuple[str, int | None]]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and prefix.count("/") < 2:
                    yield from self._walk(Path(entry.path), f"{prefix}{entry.name}/")
                elif S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                    yield prefix + entry.name, entry.stat(follow_symlinks=False).st_size
