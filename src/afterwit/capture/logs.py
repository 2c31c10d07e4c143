"""What lies in a folder of logs (transcripts with their companions, sources that hold many sessions, what nobody can
read), and its bytes, fed to a reader.

A source is a database, or a folder of many small files; each of its sessions is a unit as a file would be. Documents
and texts have no appends: they are read whole, every time. A file that many transcripts share is copied for each
transcript that used it, as it was then, under a path below the transcript itself, so that reading it again gives the
same. A companion that is gone, or that nobody may read, is None and no error.
"""

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, cast

import apsw

from afterwit.agents.declared.description import Description
from afterwit.agents.descriptor import Agent
from afterwit.agents.log_reader import FileReading, Reader, Shape
from afterwit.agents.registry import (
    RetentionPeriod,
    deletion_ms,
    gatherers_for,
    reader_for,
    retention_of,
    retention_settings,
)
from afterwit.capture.derived import Copy, Origin
from afterwit.model.errors import DamagedError
from afterwit.model.readings import Problem, Reading
from afterwit.sources.discovery import HomeListing, Unit, Unreadable, discover, nothing_is_known
from afterwit.sources.documents import read_document, read_text
from afterwit.sources.framing import Framing
from afterwit.sources.gathering import Gatherer, mark_of
from afterwit.sources.places import (
    CarriedFiles,
    ListedFile,
    LogFile,
    LogPlace,
    RemoteFolder,
    open_in,
    whole_content,
    whole_file,
    whole_lines,
)
from afterwit.store.archive import Archive
from afterwit.store.frames import Packer
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.files import file_key, live_file

COMPANION_LIMIT = 64 << 20
_BLOCK_BYTES = 1 << 20


class Feeding:
    """Feeds a reading from a given place on."""

    def __init__(self, reading: FileReading, shape: Shape, start: int = 0) -> None:
        self._reading = reading
        self._shape = shape
        self.consumed = start

    def read(self, lines: BinaryIO) -> Iterator[Reading]:
        """All readings of these bytes, in order; what could not be unpacked or is too long comes last."""
        problems: list[Problem] = []
        if self._shape is Shape.LINES:
            framing = Framing(self._reading, self.consumed)
            yield from framing.read(whole_lines(lines, framing, problems))
            self.consumed = framing.consumed
        else:
            raw = whole_content(lines, problems)
            if not problems:
                yield from (read_document if self._shape is Shape.DOCUMENT else read_text)(self._reading, raw)
                self.consumed = len(raw)
        yield from problems


class Home(NamedTuple):
    """A folder with logs of one agent. The label keeps files of a second home apart from those of the first."""

    agent: str
    folder: Path
    label: str = ""

    def key(self, path: PurePosixPath | str) -> bytes:
        """Of a file below it."""
        return file_key(self.agent, f"{self.label}{path}")


class LogSource(NamedTuple):
    """A database or folder that holds many sessions. `whole` changes whenever one of its files does."""

    agent: str
    gatherer: Gatherer
    folder: Path
    whole: LogFile  # as if it were one file
    files: tuple[LogFile, ...]


class LogFolder(NamedTuple):
    units: list[Unit]
    sources: list[LogSource]
    unread: list[PurePosixPath]  # transcripts without a reader
    unreadable: list[Unreadable]
    outside: list[Path] = []  # noqa: RUF012 - links that are not followed, and may lead to transcripts
    strangers: list[LogFile] = []  # noqa: RUF012 - other files, whatever they are
    settled: int = 0  # transcripts that are only counted: known, and without companions
    orphans: list[LogFile] = []  # noqa: RUF012 - what belongs to a transcript that is not there


class _Place(NamedTuple):
    agent: str
    gatherer: Gatherer
    path: PurePosixPath


def look_into(
    listing: HomeListing,
    agent: Agent,
    reader: Reader | None,
    is_known: Callable[[ListedFile], bool] = nothing_is_known,
) -> LogFolder:
    """What the files of a home are."""
    unread: list[PurePosixPath] = []

    def primary(path: PurePosixPath) -> PurePosixPath | None:
        owner = reader.primary(path) if reader else None
        if owner is None and agent.matches(path):
            unread.append(path)
        return owner

    collectors = Collectors([agent.name] if reader else [])
    discovery = discover(listing, primary, collectors.place, is_known, reader.stand_ins if reader else frozenset())
    folder = listing.folder
    outside = [
        place for place in listing.outside if agent.may_miss(PurePosixPath(place.relative_to(folder).as_posix()))
    ]
    return LogFolder(
        units=discovery.units,
        sources=sources_in(folder, discovery.collected),
        unread=unread,
        unreadable=listing.unreadable,
        outside=outside,
        strangers=discovery.strangers,
        settled=discovery.settled,
        orphans=discovery.orphans,
    )


class Collectors:
    def __init__(self, agents: Iterable[str]) -> None:
        self._gatherers = [(agent, gatherer) for agent in agents for gatherer in gatherers_for(agent)]

    def place(self, path: PurePosixPath) -> "_Place | None":
        """The source that this file belongs to, if any."""
        for agent, gatherer in self._gatherers:
            collection = gatherer.collection(path)
            if collection is not None:
                return _Place(agent, gatherer, collection)
        return None


def sources_in(folder: Path, collected: dict[object, list[LogFile]]) -> list[LogSource]:
    """The sources that were found, as `discover` has them by their places."""
    sources = [_source(folder, cast("_Place", place), files) for place, files in collected.items()]
    return sorted(sources, key=lambda source: str(source.whole.path))


def sessions_in(source: LogSource) -> list[Unit]:
    """The sessions of a source. Raises OSError where it cannot be read."""
    sessions = source.gatherer.sessions(source.folder, source.whole.path, source.files)
    return [Unit(source.folder, session, ()) for session in sessions]


@contextmanager
def open_unit(agent: str, home: LogPlace, path: PurePosixPath) -> Iterator[tuple[BinaryIO, int, LogFile]]:
    """A file, or what a gatherer renders in its place: its bytes, how many there are, and its marks."""
    gatherer = next((renderer for renderer in gatherers_for(agent) if renderer.renders(path)), None)
    if isinstance(home, Path) and gatherer is not None and not (home / path).is_file():
        rendering = gatherer.render(home, path)
        yield io.BytesIO(rendering.data), len(rendering.data), rendering.file
        return
    with open_in(home, path) as (file, about):
        yield file, home.size_of(str(path)) if isinstance(home, CarriedFiles) else about.size_bytes, about


def _source(folder: Path, place: _Place, files: list[LogFile]) -> LogSource:
    ordered = tuple(sorted(files))
    marks = [(str(file.path), file.size_bytes, file.mtime_ns, file.inode) for file in ordered]
    size, mtime_ns = sum(file.size_bytes for file in ordered), max(file.mtime_ns for file in ordered)
    return LogSource(place.agent, place.gatherer, folder, LogFile(place.path, size, mtime_ns, mark_of(marks)), ordered)


class Belonging(NamedTuple):
    """The transcript that a companion belongs to, and the path under which the reader asks for it."""

    transcript: PurePosixPath
    path: PurePosixPath


def archive_path(transcript: PurePosixPath, shared: PurePosixPath) -> PurePosixPath:
    """Where the archive keeps a transcript's copy of a shared file."""
    return transcript / shared


def companion_bytes(db: apsw.Connection, archive: Archive, transcript: Origin, path: PurePosixPath) -> bytes | None:
    """The archived bytes of a transcript's companion, if there is one."""
    for place in (archive_path(transcript.path, path), path):
        row = live_file(db, transcript._replace(path=place).key)
        if row is not None and row.held_bytes:
            try:
                return b"".join(archive.read(row.object_name, row.held_bytes))
            except DamagedError:  # as good as gone; `verify` says what is wrong with it
                return None
    return None


def owner_of(reader: Reader, path: PurePosixPath) -> Belonging | None:
    """What the companion that the archive keeps at this path belongs to."""
    for above in path.parents:
        shared = path.relative_to(above)
        if shared in reader.shared(above):
            return Belonging(above, shared)
    owner = reader.primary(path)
    return Belonging(owner, path) if owner is not None else None


def owner_of_archived(origin: Origin, declared: tuple[Description, ...]) -> tuple[bytes, PurePosixPath] | None:
    """The key of the transcript that an archived companion belongs to, and the path under which its reader asks."""
    reader = reader_for(origin.agent, declared)
    owner = owner_of(reader, origin.path) if reader else None
    return (origin._replace(path=owner.transcript).key, owner.path) if owner else None


def companion_content(home: LogPlace, path: PurePosixPath) -> bytes | None:
    """What a companion holds now, up to the limit."""
    try:
        with open_in(home, path) as (file, _):
            return whole_file(file, COMPANION_LIMIT)
    except OSError as error:
        _refuse_outage(home, error)
        return None


def _refuse_outage(home: LogPlace, error: OSError) -> None:
    """On a disk, what cannot be read is not there. At a URL it may be there again the next time."""
    if isinstance(home, RemoteFolder) and not isinstance(error, FileNotFoundError):
        raise error


def copy_companion(home: LogPlace, path: str, kept: PurePosixPath | None = None) -> Copy | None:
    """A companion as it is now, or None if it cannot be read. The archive keeps it at its own path or at `kept`."""
    sha, packer, frames, held_bytes = hashlib.sha256(), Packer(), list[bytes](), 0
    try:
        with open_in(home, path) as (file, about):
            while block := file.read(_BLOCK_BYTES):
                sha.update(block)
                frames.extend(packer.add(block))
                held_bytes += len(block)
    except OSError as error:
        _refuse_outage(home, error)
        return None
    return Copy(
        path=os.fsencode(kept or path),
        frames=[*frames, *packer.finish()],
        held_bytes=held_bytes,
        sha256=sha.hexdigest(),
        size_bytes=about.size_bytes,
        mtime_ns=about.mtime_ns,
        inode=about.inode,
    )


_SETTINGS_BYTES = 1 << 20


def retention_in(home: Home) -> RetentionPeriod | None:
    """How long the agent keeps what lies in this home. None: not known."""
    path = retention_settings(home.agent)
    try:
        settings = None if path is None else read_regular(home.folder / path, _SETTINGS_BYTES)
    except OSError:
        settings = None
    return retention_of(home.agent, settings)


def vanishes_at(home: Home, kept: RetentionPeriod | None, file: LogFile) -> int | None:
    """When the agent will delete this transcript, in milliseconds since 1970. None: not known, or never."""
    return deletion_ms(home.agent, kept, file.path, file.mtime_ns // 1_000_000)
