"""What of a store goes into a backup, and in which order it is looked at.

Everything that cannot be made again, and of what can the database and the prepared notes, so that a restored store is
at once what it was, with the same content hash, whatever version or machine restores it. Left out: the trees of
repositories, the pages of the report, and copies that upgrades left, which are made again or not needed.

The caller holds the lease, so the archive stands still. Decisions do not wait for the lease: the database is copied
before the journal, which may then know more than it, but never less; and `journal.heads` before both.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from afterwit.extras.backup.manifest import is_safe_path
from afterwit.store.copies import copy_database
from afterwit.store.layout import Layout

_HISTORY = "metrics/history.jsonl"
_FILES = ("redaction.key", "archive.mark", "config.toml", "bootstrap-context.md", "views.json", "deck.db", _HISTORY)
_FOLDERS = ("archive", "spool", "templates", "patterns", "deck", "sources")
_QUEUE = "memory-queue.db"


class StoreFile(NamedTuple):
    path: str  # in the store
    source: Path  # where its bytes are read
    size_bytes: int
    stamp: tuple[int, ...]  # () for what is to be read in any case


def collect(layout: Layout, scratch: Path) -> list[StoreFile]:
    """All files of a backup; copies of the databases, and of what changes with them, lie in `scratch`."""
    heads = [_copy(path, scratch, shutil.copyfile) for path in [layout.journal_heads] if path.is_file()]
    databases = [layout.database, layout.journal, *(path for path in [layout.root / _QUEUE] if path.is_file())]
    copies = [_copy(path, scratch, copy_database) for path in databases]
    singles = [file for path in _FILES for file in _single(layout, path)]
    return [*copies, *heads, *singles, *(file for folder in _FOLDERS for file in _below(layout, folder))]


def _copy(path: Path, scratch: Path, copy: Callable[[Path, Path], object]) -> StoreFile:
    copied = scratch / path.name
    copy(path, copied)
    return StoreFile(path.name, copied, copied.stat().st_size, ())


def _single(layout: Layout, path: str) -> Iterator[StoreFile]:
    source = layout.root / path
    if source.is_file():  # people may keep their settings behind a link
        yield StoreFile(path, source, source.stat().st_size, ())


def _below(layout: Layout, folder: str) -> Iterator[StoreFile]:
    """Regular files, in the order of their names. Hidden ones are half-written; so are other endings in the archive."""
    for parent, folders, names in os.walk(layout.root / folder):
        folders.sort()
        for name in sorted(names):
            source = Path(parent, name)
            path = source.relative_to(layout.root).as_posix()
            if name.startswith(".") or (folder == "archive" and source.suffix != ".zst"):
                continue
            if source.is_symlink() or not source.is_file() or not is_safe_path(path):
                continue
            status = source.stat()
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            yield StoreFile(path, source, status.st_size, stamp if folder == "archive" else ())
