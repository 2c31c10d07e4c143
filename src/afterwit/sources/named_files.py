"""Finds the files that are named after a session, without a look at any other.

Only names are read: a file that is named otherwise costs its entry in the folder's listing, and no `stat`. What lies in
a folder that is named so belongs to it. Links are followed as `discovery` follows them: a folder is entered once, under
its own name if it lies below the home, and hardly any that leads out of it. What cannot be entered is passed over: a
sweep reports it.
"""

import heapq
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from afterwit.sources.discovery import Bounds, Found, anything


class Entry(NamedTuple):
    """A file, by its name alone."""

    path: str  # below the home
    place: str
    is_named: bool  # after the session, or in a folder that is


def pattern_of(session: str) -> re.Pattern[str]:
    """Finds an id as a whole in a name; some agents leave out its dashes."""
    names = "|".join(re.escape(name) for name in (session, session.replace("-", "")) if name)
    return re.compile(rf"(?<![0-9A-Za-z])(?:{names})(?![0-9A-Za-z])")


def looked_through(
    home: Path, folders: Iterable[str], names: re.Pattern[str], follows: Callable[[str], bool] = anything
) -> Iterator[Entry]:
    """All files below these folders of a home; "" is the home itself."""
    entered: set[tuple[int, int]] = set()
    bounds = Bounds(str(home), follows)
    waiting = [
        (folder and f"{folder}/", False)
        for folder in folders
        if not folder or bounds.allows(str(home / folder), folder)
    ]
    links: list[tuple[str, bool]] = []
    while waiting or links:
        prefix, is_inside = waiting.pop() if waiting else heapq.heappop(links)
        for entry in _entries(str(home / prefix), entered):
            path, is_folder = f"{prefix}{entry.name}", _is_folder(entry)
            if entry.is_symlink() and not bounds.allows(entry.path, path):
                continue
            name = entry.name if is_folder else os.path.splitext(entry.name)[0]  # noqa: PTH122 - thousands of names
            is_named = is_inside or names.search(name) is not None
            if not is_folder:
                yield Entry(path, entry.path, is_named)
            elif entry.is_symlink():
                heapq.heappush(links, (f"{path}/", is_named))
            else:
                waiting.append((f"{path}/", is_named))


def found_at(entry: Entry) -> Found | None:
    """The file as the file system describes it; None where it is none, or gone."""
    try:
        about = os.stat(entry.place)  # noqa: PTH116 - the place is a text
    except OSError:
        return None
    is_file = stat.S_ISREG(about.st_mode)
    return Found(PurePosixPath(entry.path), about.st_size, about.st_mtime_ns, about.st_ino) if is_file else None


def place_inside(home: Path, place: str) -> PurePosixPath | None:
    """The path below a home of a place that somebody names; None where it lies elsewhere, links resolved."""
    if not place or "\0" in place or not os.path.isabs(place):  # noqa: PTH117
        return None
    try:
        own, real = home.resolve(), Path(place).resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return PurePosixPath(real.relative_to(own).as_posix()) if real != own and real.is_relative_to(own) else None


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    """A link to itself is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _entries(folder: str, entered: set[tuple[int, int]]) -> list["os.DirEntry[str]"]:
    """What lies in a folder; nothing, if it was entered before or cannot be."""
    try:
        about = os.stat(folder)  # noqa: PTH116
        identity = (about.st_dev, about.st_ino)
        if identity in entered and about.st_ino:
            return []
        entered.add(identity)
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
