"""Finds the files of an agent below its home: transcripts, and the companions that belong to them.

One walk, one `stat` per file. A folder is entered once: under its own name if it lies below the home, else under the
first link to it, so that a loop ends and a file keeps its path from run to run. Links that lead out of the home are
followed as `links` says. What cannot be entered, and what is not followed, is reported, not skipped in silence; what is
gone is gone. Whether a file is a transcript is the reader's business.

Which symbolic links below a folder of logs are followed: those that stay inside, and few that lead out.

A home that is a link itself was put there by its user. So was a link directly in it, in the place of a folder or file
in which the agent keeps its logs (`follows` tells those): many people keep such a folder on another disk. What lies
there counts as inside. Any other link that leads out is not followed, and one to a folder that the home itself lies in
never is: it would lead through everything that a user can read.
"""

import errno
import hashlib
import heapq
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple


def anything(name: str) -> bool:  # noqa: ARG001
    """For a folder that somebody names by hand: all that lies directly in it was put there for that."""
    return True


class Bounds:
    """The inside of one folder. Learns, link by link, what else belongs to it."""

    def __init__(self, home: str, follows: Callable[[str], bool] = anything, also: Iterable[Path] = ()) -> None:
        self._home = os.path.realpath(home)
        self._follows = follows
        self._inside = [self._home, *map(os.path.realpath, also)]
        self.outside: list[Path] = []  # links that were not followed

    def allows(self, place: str, below: str) -> bool:
        """Whether a link may be followed: its place, and its path below the home."""
        real = os.path.realpath(place)
        if any(_is_in(real, folder) for folder in self._inside):
            return True
        if "/" not in below and self._follows(below) and not _is_in(self._home, real):
            self._inside.append(real)
            return True
        self.outside.append(Path(place))
        return False


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


class Found(NamedTuple):
    """A file as the file system describes it."""

    path: PurePosixPath  # below the agent's home
    size_bytes: int
    mtime_ns: int
    inode: int


class Unit(NamedTuple):
    """A transcript and the files that belong to it."""

    home: Path
    transcript: Found
    companions: tuple[Found, ...]

    @property
    def companions_mark(self) -> str:
        """Changes whenever a companion does; empty where there are none."""
        if not self.companions:
            return ""
        marks = (f"{found.path.name}:{found.size_bytes}:{found.mtime_ns}" for found in self.companions)
        return hashlib.blake2b(";".join(marks).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Unreadable(NamedTuple):
    place: Path
    reason: str


class Discovery(NamedTuple):
    units: list[Unit]
    unreadable: list[Unreadable]
    collected: dict[Hashable, list[Found]] = {}  # noqa: RUF012 - never changed
    outside: list[Path] = []  # noqa: RUF012 - links that are not followed, because they lead out of the home


def discover(
    home: Path,
    primary: Callable[[PurePosixPath], PurePosixPath | None],
    collection: Callable[[PurePosixPath], Hashable | None] = lambda _: None,
    follows: Callable[[str], bool] = anything,
) -> Discovery:
    """All units below a home. `primary` tells the transcript that a file is or belongs to. What belongs to a collection
    of many sessions is nothing else besides. `follows` names what may be a link to elsewhere, see `links`."""
    transcripts: dict[PurePosixPath, Found] = {}
    companions: dict[PurePosixPath, list[Found]] = {}
    collected: dict[Hashable, list[Found]] = {}
    unreadable: list[Unreadable] = []
    bounds = Bounds(str(home), follows)
    for found in _found(home, unreadable, bounds):
        collector = collection(found.path)
        if collector is not None:
            collected.setdefault(collector, []).append(found)
            continue
        owner = primary(found.path)
        if owner is found.path or owner == found.path:
            transcripts[found.path] = found
        elif owner is not None:
            companions.setdefault(owner, []).append(found)
    by_name = sorted(transcripts.items(), key=lambda item: str(item[0]))
    units = [Unit(home, found, tuple(sorted(companions.get(path, ())))) for path, found in by_name]
    return Discovery(units, unreadable, collected, bounds.outside)


def walk(home: Path, unreadable: list[Unreadable], follows: Callable[[str], bool] = anything) -> Iterator[Found]:
    """Every regular file below a folder, in no particular order."""
    return _found(home, unreadable, Bounds(str(home), follows))


def _found(home: Path, unreadable: list[Unreadable], bounds: Bounds) -> Iterator[Found]:
    for files in _listed(home, unreadable, bounds):
        for path, size_bytes, mtime_ns, inode in files:
            yield Found(PurePosixPath(path), size_bytes, mtime_ns, inode)


def glimpse(home: Path, follows: Callable[[str], bool] = anything) -> bytes:
    """What lies below a folder, as a short mark: another one as soon as a file came, went or changed, or something can
    no longer be read, or again. The order in which the file system lists the files counts, so it may also change
    without need."""
    mark = hashlib.blake2b(digest_size=16)
    unreadable: list[Unreadable] = []
    for files in _listed(home, unreadable, Bounds(str(home), follows)):
        mark.update(repr(files).encode("utf-8", "surrogatepass"))
    mark.update(repr([(str(one.place), one.reason) for one in unreadable]).encode("utf-8", "surrogatepass"))
    return mark.digest()


def _listed(home: Path, unreadable: list[Unreadable], bounds: Bounds) -> Iterator[list[tuple[str, int, int, int]]]:
    """Path, size, time and inode of every regular file, by folder."""
    entered: set[tuple[int, int]] = set()
    folders: list[tuple[str, str]] = [(str(home), "")]
    links: list[tuple[str, str]] = []  # entered when all folders are done, in order
    while folders or links:
        folder, prefix = folders.pop() if folders else heapq.heappop(links)
        files: list[tuple[str, int, int, int]] = []
        for entry in _entries(folder, entered, unreadable):
            try:
                if entry.is_symlink() and not _is_followed(entry, prefix, bounds):
                    continue
                if entry.is_file():
                    about = entry.stat()
                    files.append((prefix + entry.name, about.st_size, about.st_mtime_ns, about.st_ino))
                elif entry.is_dir():
                    place = (entry.path, f"{prefix}{entry.name}/")
                    heapq.heappush(links, place) if entry.is_symlink() else folders.append(place)
            except OSError as error:
                _note(entry.path, error, unreadable)
        yield files


def _is_followed(entry: "os.DirEntry[str]", prefix: str, bounds: Bounds) -> bool:
    """A link to nothing, or to something that is neither a file nor a folder, is none that is left out."""
    return (entry.is_file() or entry.is_dir()) and bounds.allows(entry.path, prefix + entry.name)


def _entries(folder: str, entered: set[tuple[int, int]], unreadable: list[Unreadable]) -> list["os.DirEntry[str]"]:
    """What lies in a folder; nothing, if it was entered before or cannot be."""
    try:
        about = os.stat(folder)  # noqa: PTH116 - thousands of folders
        identity = (about.st_dev, about.st_ino)
        if identity in entered and about.st_ino:
            return []
        entered.add(identity)
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        _note(folder, error, unreadable)
        return []


def _note(place: str, error: OSError, unreadable: list[Unreadable]) -> None:
    """Reports what cannot be read. What is not there, a link to nothing or to itself, is none of it."""
    if error.errno not in (errno.ENOENT, errno.ELOOP):
        unreadable.append(Unreadable(Path(place), error.strerror or str(error)))
