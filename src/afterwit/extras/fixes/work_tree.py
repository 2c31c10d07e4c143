"""The tree of a commit as files in a folder of our own, to run its tests there. The repository is not touched.

Git's own work trees are not used: making one writes into the repository, and runs its hooks and filters. What is
written here is what the objects hold, byte for byte. Names come from anyone: one that leads out of the folder, into a
`.git` or nowhere is not written, and a link is made only if it stays inside. Submodules are left out, and so is what
is too large. All of it is counted, so that a verdict can say what was missing.
"""

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.sources.gathering import SourceError
from afterwit.sources.git import CommittedChange, TreeEntry, contents, tree_of

MOST_FILES = 60_000
MOST_BYTES = 1 << 30
MOST_BLOB_BYTES = 32 << 20
_BATCH_BYTES = 16 << 20
_BATCH = 256
_LINK, _SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"
_LONGEST_TARGET = 1_024
_LONGEST_NAME = 255


class Unwritten(NamedTuple):
    """What of a tree was not written."""

    names: int = 0  # that could lead elsewhere
    links: int = 0  # that do
    submodules: int = 0
    large: int = 0
    missing: int = 0  # objects that this clone does not have


def materialise(git_dir: Path, commit: str, folder: Path) -> Unwritten:
    """Writes the tree of a commit into an empty folder. What does not fit the limits is an error of the source."""
    entries = tree_of(git_dir, commit)
    if len(entries) > MOST_FILES:
        raise SourceError(f"its tree has {len(entries):,} files, more than {MOST_FILES:,}")
    plain = [entry for entry in entries if is_safe(entry.path)]
    submodules = [entry for entry in plain if entry.mode == _SUBMODULE]
    blobs = [entry for entry in plain if entry.mode != _SUBMODULE]
    small = [entry for entry in blobs if entry.size_bytes is not None and entry.size_bytes <= MOST_BLOB_BYTES]
    if sum(entry.size_bytes or 0 for entry in small) > MOST_BYTES:
        raise SourceError(f"its tree holds more than {MOST_BYTES >> 20:,} MiB")
    files = [entry for entry in small if entry.mode != _LINK]
    written = [_write(folder, entry, body) for entry, body in _bodies(git_dir, files)]
    links = [entry for entry in small if entry.mode == _LINK]
    made = [_link(folder, entry.path, body) for entry, body in _bodies(git_dir, links)]
    return Unwritten(
        names=len(entries) - len(plain) + written.count(False),
        links=made.count(False),
        submodules=len(submodules),
        large=sum(entry.size_bytes is not None and entry.size_bytes > MOST_BLOB_BYTES for entry in blobs),
        missing=sum(entry.size_bytes is None for entry in blobs),
    )


def put_back(git_dir: Path, parent: str, changes: Iterable[CommittedChange], folder: Path) -> None:
    """Gives these files the contents that they had before: what was added goes, what was deleted comes back."""
    changed = [change for change in changes if is_safe(change.path)]
    before = {entry.path: entry for entry in tree_of(git_dir, parent)} if changed else {}
    for change in changed:
        _remove(folder, change.path)
    wanted = [before[change.path] for change in changed if change.path in before]
    files = [entry for entry in wanted if entry.mode not in (_LINK, _SUBMODULE)]
    if any(entry.size_bytes is None or entry.size_bytes > MOST_BLOB_BYTES for entry in files):
        raise SourceError("what the fix changed is missing from this clone, or too large")
    for entry, body in _bodies(git_dir, files):
        _write(folder, entry, body)
    for entry, body in _bodies(git_dir, [entry for entry in wanted if entry.mode == _LINK and entry.size_bytes]):
        _link(folder, entry.path, body)


def is_safe(path: str) -> bool:
    """Whether a name from a tree leads to a file inside, on any system, and to nothing of git's own."""
    parts = path.split("/")
    return (
        bool(path)
        and not any(character in path for character in "\0\n\r\\")
        and not any(
            part in ("", ".", "..") or len(os.fsencode(part)) > _LONGEST_NAME or _is_of_git(part) for part in parts
        )
    )


def _is_of_git(part: str) -> bool:
    """As file systems read it that ignore case, dots at the end and characters that nobody sees."""
    bare = "".join(character for character in part if character.isprintable()).rstrip(". ").casefold()
    return bare == ".git" or bare.startswith(("git~", ".git:"))


def _bodies(git_dir: Path, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, bytes]]:
    batch: list[TreeEntry] = []
    size = 0
    for entry in (*entries, None):
        is_full = entry is None or len(batch) >= _BATCH or size + (entry.size_bytes or 0) > _BATCH_BYTES
        if batch and is_full:
            yield from zip(batch, contents(git_dir, [some.object for some in batch]), strict=True)
            batch, size = [], 0
        if entry is not None:
            batch.append(entry)
            size += entry.size_bytes or 0


def _write(folder: Path, entry: TreeEntry, body: bytes) -> bool:
    """Writes a file; False where its name is taken, or one that this file system cannot hold."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    mode = 0o700 if entry.mode == _EXECUTABLE else 0o600
    place = _place(folder, entry.path)
    if place is None:
        return False
    try:
        descriptor = os.open(place, flags, mode)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return False
    with os.fdopen(descriptor, "wb") as file:
        file.write(body)
    return True


def _link(folder: Path, path: str, target: bytes) -> bool:
    """Makes a link that stays inside; whether it does."""
    text = os.fsdecode(target)
    leads_to = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    is_inside = 0 < len(text) <= _LONGEST_TARGET and not text.startswith("/") and is_safe(leads_to)
    place = _place(folder, path) if is_inside else None
    if place is None or not _is_within(place.parent / text, folder) or os.path.lexists(place):
        return False
    place.symlink_to(text)
    return True


def _place(folder: Path, path: str) -> Path | None:
    """Where a file goes, with the folders above it made; None where one of them is none, or leads elsewhere."""
    place = folder / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return None
    return place if _is_within(place.parent, folder) else None


def _is_within(place: Path, folder: Path) -> bool:
    try:
        return place.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _remove(folder: Path, path: str) -> None:
    place = folder / path
    if _is_within(place.parent, folder) and (place.is_symlink() or place.is_file()):
        place.unlink()
