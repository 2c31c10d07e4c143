"""The work tree of a checkout: whether a path is there, which files have a name, and the text of small files.

A tree is foreign, and may be large. So folders are listed up to a number, without those that tools fill (dependencies,
caches); links to folders are not followed; only regular files inside the tree are read, and only whole ones: of a part
nobody could say what it lacks. `None` means that it cannot be told. Nothing is raised and nothing is written.
"""

import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from afterwit.store.regular_files import read_regular

_MOST_FOLDERS = 2_000  # of one tree that are listed
_MOST_NAMED = 400  # files of the wanted names
_IGNORE_BYTES = 65_536
_CONFIG_BYTES = 262_144
_FILLED = frozenset(
    (
        ".git", "node_modules", "bower_components", "vendor", ".venv", "venv", "__pycache__", ".tox", ".nox", ".cache",
        "site-packages", ".next", ".turbo", ".gradle", ".mypy_cache", ".ruff_cache", ".pytest_cache", "Pods",
    )
)  # fmt: skip


class NamedFiles(NamedTuple):
    """Files of a tree that have one of some names."""

    paths: tuple[str, ...]  # below the root, sorted
    is_whole: bool  # the whole tree was looked through


def has_path(root: Path, path: str) -> bool | None:
    """Whether something lies there; None where that cannot be told."""
    try:
        os.stat(f"{root}/{path}")  # noqa: PTH116 - asked of every path that an item names, so without a `Path`
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return None
    return True


def text_in(root: Path, path: str, most_bytes: int) -> str | None:
    """The text of a regular file inside the tree; None for anything else, and for one that is larger."""
    place = root / path
    try:
        if not place.resolve().is_relative_to(root.resolve()):
            return None
        content = read_regular(place, most_bytes + 1)
        return content.decode("utf-8") if len(content) <= most_bytes else None
    except (OSError, ValueError, RuntimeError):
        return None


def stat_in(root: Path, path: str) -> tuple[int, int, int] | None:
    """Size, time and number of a file, by which a change is seen; None where there is none."""
    try:
        about = os.stat(f"{root}/{path}")  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return about.st_size, about.st_mtime_ns, about.st_ino


def files_named(root: Path, names: Collection[str]) -> NamedFiles:
    """All files and folders of these names, from the top down."""
    wanted = frozenset(names)
    paths: list[str] = []
    waiting, folders = [""], 0
    while waiting:
        folder = waiting.pop(0)
        folders += 1
        if folders > _MOST_FOLDERS or len(paths) > _MOST_NAMED:
            return NamedFiles(tuple(sorted(paths)), is_whole=False)
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                for entry in entries:
                    below = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.name in wanted:
                        paths.append(below)
                    if entry.name not in _FILLED and entry.is_dir(follow_symlinks=False):
                        waiting.append(below)
        except OSError:
            return NamedFiles(tuple(sorted(paths)), is_whole=False)
    return NamedFiles(tuple(sorted(paths)), is_whole=True)


def may_be_untracked(root: Path, path: str) -> bool:
    """Whether the path lies where tools put things, or is ignored by git: then that it is not there says nothing."""
    names = path.split("/")
    if not _FILLED.isdisjoint(names):
        return True
    return any(
        _is_ignored(text_in(root, "/".join((*above, ".gitignore")), _IGNORE_BYTES), "/".join(names[len(above) :]))
        for above in (names[:depth] for depth in range(len(names)))
    )


def _is_ignored(text: str | None, path: str) -> bool:
    """Whether a line of the file means the path. What lines with `!` take back stays in doubt."""
    from afterwit.actions.quick_look import fits_path

    patterns = (line.strip() for line in (text or "").splitlines())
    return any(fits_path(pattern, path) for pattern in patterns if pattern and not pattern.startswith(("#", "!")))


def has_work_tree(root: Path) -> bool:
    """Whether there are files at all: not in a folder where nothing is mounted, nor where git keeps only the repository
    itself, beside a set of linked work trees."""
    try:
        with os.scandir(root) as entries:
            return any(entries) and "bare=true" not in _git_settings(root)
    except OSError:
        return False


def is_sparse(root: Path) -> bool:
    """Whether git puts only some of the files there."""
    return "sparsecheckout=true" in _git_settings(root)


def _git_settings(root: Path) -> set[str]:
    texts = (text_in(root, f".git/{name}", _CONFIG_BYTES) or "" for name in ("config", "config.worktree"))
    return {"".join(line.split()).lower() for text in texts for line in text.splitlines()}
