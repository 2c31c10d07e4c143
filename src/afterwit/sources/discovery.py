"""Finds the files of an agent below its home: transcripts and the companions that belong to them, or the files that are
named after one session.

One walk, one `stat` per file (`listed`); where only names are asked for, none. A folder is entered once: under its own
name if it lies below the home, else under the first link to it, so that a loop ends and a file keeps its path from run
to run. What cannot be entered, and what is not followed, is reported; what is gone is gone. Whether a file is a
transcript is the reader's business.

Links are followed where they stay inside the home. A home that is a link itself was put there by its user. So was a
link directly in it, in the place of a folder or file in which the agent keeps its logs (`follows` tells those): many
people keep such a folder on another disk. What lies there counts as inside. Any other link that leads out is not
followed, and one to a folder that the home itself lies in never is: it would lead through everything that a user can
read.
"""

import errno
import hashlib
import heapq
import marshal
import os
import re
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from afterwit.sources.places import ListedFile, LogFile, RemoteFolder


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


class HomeListing(NamedTuple):
    """Every regular file below a folder as it was at one moment, in no particular order."""

    folder: Path
    files: list[ListedFile]
    unreadable: list["Unreadable"]
    outside: list[Path]  # links that are not followed, because they lead out of the folder

    @property
    def mark(self) -> bytes:
        """Another one as soon as a file came, went or changed, or something can no longer be read, or again. The order
        in which the file system lists the files counts, so it may also change without need."""
        faults = [(str(place), reason) for place, reason in self.unreadable]
        content = marshal.dumps((self.files, faults), 0)  # of any name; in this version equal values give equal bytes
        return hashlib.blake2b(content, digest_size=16).digest()


class Unit(NamedTuple):
    """A transcript and the files that belong to it."""

    home: Path | RemoteFolder
    transcript: LogFile
    companions: tuple[LogFile, ...]

    @property
    def companions_mark(self) -> str:
        """Changes whenever a companion does; empty where there are none."""
        if not self.companions:
            return ""
        marks = (f"{file.path.name}:{file.size_bytes}:{file.mtime_ns}" for file in self.companions)
        return hashlib.blake2b(";".join(marks).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Unreadable(NamedTuple):
    place: Path | str  # a text is a URL
    reason: str


class Discovery(NamedTuple):
    units: list[Unit]
    collected: dict[Hashable, list[LogFile]] = {}  # noqa: RUF012 - never changed
    strangers: list[LogFile] = []  # noqa: RUF012 - files that belong to no unit and no collection
    settled: int = 0  # transcripts that are no units here: as they were, and without companions
    orphans: list[LogFile] = []  # noqa: RUF012 - files that belong to a transcript which is not there


def nothing_is_known(file: ListedFile) -> bool:  # noqa: ARG001
    """For whoever wants every unit."""
    return False


def discover(
    listing: HomeListing,
    primary: Callable[[PurePosixPath], PurePosixPath | None],
    collection: Callable[[PurePosixPath], Hashable | None] = lambda _: None,
    is_known: Callable[[ListedFile], bool] = nothing_is_known,
    stand_ins: frozenset[str] = frozenset(),
) -> Discovery:
    """The units among the files of a home. `primary` tells the transcript that a file is or belongs to. What belongs to
    a collection of many sessions is nothing else besides. `is_known` tells transcripts of which all is known already:
    they are only counted, unless something lies beside them."""
    collected: dict[Hashable, list[LogFile]] = {}
    others: list[LogFile] = []
    strangers: list[LogFile] = []
    as_before: dict[str, ListedFile] = {}
    for listed_file in listing.files:
        if is_known(listed_file):
            as_before[listed_file[0]] = listed_file
            continue
        file = _log_file(listed_file)
        collector = collection(file.path)
        (others if collector is None else collected.setdefault(collector, [])).append(file)
    orphans: list[LogFile] = []
    units = units_among(listing.folder, others, primary, strangers, as_before, stand_ins, orphans)
    return Discovery(units, collected, strangers, len(as_before), orphans)


def _log_file(listed_file: ListedFile) -> LogFile:
    path, size_bytes, mtime_ns, inode = listed_file
    return LogFile(PurePosixPath(path), size_bytes, mtime_ns, inode)


def units_among(
    home: Path,
    files: Iterable[LogFile],
    primary: Callable[[PurePosixPath], PurePosixPath | None],
    strangers: list[LogFile] | None = None,
    as_before: dict[str, ListedFile] | None = None,
    stand_ins: frozenset[str] = frozenset(),
    orphans: list[LogFile] | None = None,
) -> list[Unit]:
    """The transcripts among these files by name, each with its companions. What is neither joins the strangers, where
    somebody wants them. Known transcripts that companions belong to are taken from those. In the place of one that is
    not there a companion of a name among `stand_ins` is read; where there is none, all are orphans."""
    transcripts: dict[str, LogFile] = {}  # by text, which is compared more quickly than paths are
    companions: dict[str, list[LogFile]] = {}
    for file in files:
        owner = primary(file.path)
        if owner is file.path or owner == file.path:
            transcripts[str(file.path)] = file
        elif owner is not None:
            companions.setdefault(str(owner), []).append(file)
        elif strangers is not None:
            strangers.append(file)
    if as_before:
        transcripts |= {owner: _log_file(as_before.pop(owner)) for owner in companions.keys() & as_before.keys()}
    for missing in companions.keys() - transcripts.keys():
        beside = companions.pop(missing)
        instead = next((file for file in beside if file.path.name in stand_ins), None)
        if instead is not None:
            transcripts[str(instead.path)] = instead
            companions[str(instead.path)] = [file for file in beside if file is not instead]
        elif orphans is not None:
            orphans += beside
    return [Unit(home, transcripts[path], tuple(sorted(companions.get(path, ())))) for path in sorted(transcripts)]


def list_home(home: Path, follows: Callable[[str], bool] = anything) -> HomeListing:
    """What lies below a folder. `follows` names what may be a link to elsewhere."""
    files: list[ListedFile] = []
    unreadable: list[Unreadable] = []
    bounds = Bounds(str(home), follows)
    entered: set[tuple[int, int]] = set()
    folders: list[tuple[str, str]] = [(str(home), "")]
    links: list[tuple[str, str]] = []  # entered when all folders are done, in order
    while folders or links:
        folder, prefix = folders.pop() if folders else heapq.heappop(links)
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
    return HomeListing(home, files, unreadable, bounds.outside)


def _is_followed(entry: "os.DirEntry[str]", prefix: str, bounds: Bounds) -> bool:
    """A link to nothing, or to something that is neither a file nor a folder, is none that is left out."""
    return (entry.is_file() or entry.is_dir()) and bounds.allows(entry.path, prefix + entry.name)


def _entries(
    folder: str, entered: set[tuple[int, int]], unreadable: list[Unreadable] | None = None
) -> list["os.DirEntry[str]"]:
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
        if unreadable is not None:
            _note(folder, error, unreadable)
        return []


def _note(place: str, error: OSError, unreadable: list[Unreadable]) -> None:
    """Reports what cannot be read. What is not there, a link to nothing or to itself, is none of it."""
    if error.errno not in (errno.ENOENT, errno.ELOOP):
        unreadable.append(Unreadable(Path(place), error.strerror or str(error)))


class NamedFile(NamedTuple):
    """A file, by its name alone."""

    path: str  # below the home
    place: str
    is_named: bool  # after the session, or it lies in a folder that is


def pattern_of(session: str) -> re.Pattern[str]:
    """Finds an id as a whole in a name; some agents leave out its dashes."""
    names = "|".join(re.escape(name) for name in (session, session.replace("-", "")) if name)
    return re.compile(rf"(?<![0-9A-Za-z])(?:{names})(?![0-9A-Za-z])")


def find_named_files(
    home: Path, folders: Iterable[str], names: re.Pattern[str], follows: Callable[[str], bool] = anything
) -> Iterator[NamedFile]:
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
            is_named = is_inside or _is_named(entry.name, names, is_folder=is_folder)
            if not is_folder:
                yield NamedFile(path, entry.path, is_named)
            elif entry.is_symlink():
                heapq.heappush(links, (f"{path}/", is_named))
            else:
                waiting.append((f"{path}/", is_named))


def _is_named(name: str, names: re.Pattern[str], *, is_folder: bool) -> bool:
    """By what stands before the ending of a file, which is cut off only where the whole name fits: there are
    thousands."""
    if names.search(name) is None:
        return False
    return is_folder or names.search(os.path.splitext(name)[0]) is not None  # noqa: PTH122


def file_at(entry: NamedFile) -> LogFile | None:
    """The file as the file system describes it; None where it is none, or gone."""
    try:
        about = os.stat(entry.place)  # noqa: PTH116 - the place is a text
    except OSError:
        return None
    is_file = stat.S_ISREG(about.st_mode)
    return LogFile(PurePosixPath(entry.path), about.st_size, about.st_mtime_ns, about.st_ino) if is_file else None


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
