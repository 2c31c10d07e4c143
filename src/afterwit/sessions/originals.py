"""The archived originals of transcripts: where they come from, their bytes, what the agent's reader makes of them.

Of a single event (`EventTexts`) only the frames that hold its record are unpacked; a record that means nothing by
itself is read together with all that stands before it. Nothing here is redacted; whoever shows a text does that first.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

import apsw

from afterwit.actions import tools
from afterwit.agents.declared.description import Description
from afterwit.agents.log_reader import FileReading, Reader, SourceFile
from afterwit.agents.registry import reader_for, tool_kinds
from afterwit.capture.derived import Origin, origin_in
from afterwit.capture.logs import Feeding, companion_bytes
from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, rules_for
from afterwit.model.errors import DamagedError
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Reading
from afterwit.redaction.redaction import Redactor
from afterwit.sources.documents import Piecemeal, read_piece
from afterwit.sources.framing import Framing, Record
from afterwit.sources.places import Chunks, is_packed, lines_of
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.frames import ArchivedFile
from afterwit.store.rows.files import FileRow, file_by_id
from afterwit.store.rows.parts import parts_of_session
from afterwit.store.rows.session_list import SessionRow
from afterwit.store.store import Store, open_store, require


class TranscriptSource(NamedTuple):
    """What transcripts are read from."""

    store: Store
    redactor: Redactor
    declared: tuple[Description, ...] = ()  # the logs that people have described


@contextmanager
def source_of(world: World) -> Iterator[TranscriptSource]:
    """The store, with the redaction of this machine."""
    require(world.layout)
    with open_store(world.layout) as store:
        rules = rules_for(world, store)
        yield TranscriptSource(store, redactor_for(rules.key, rules.people, rules.allow), rules.declared)


def origin_of(store: Store, file: FileRow) -> Origin:
    """Which file it was. Raises DamagedError where the archive does not hold it."""
    return origin_in(store.archive.header(file.object_name))


def original_bytes(store: Store, file: FileRow) -> Iterator[bytes]:
    return store.archive.read(file.object_name, file.held_bytes)


def files_of(store: Store, session: SessionRow) -> list[FileRow]:
    """The files that a session lies in, the one with its beginning first."""
    places = parts_of_session(store.db, session.id)
    return [file_by_id(store.db, file_id) for file_id in dict.fromkeys(place.file_id for place in places)]


def events_in(store: Store, file: FileRow, declared: tuple[Description, ...] = ()) -> Iterator[Event]:
    """The events of all sessions in a file, in its order. Raises DamagedError where it cannot be read on."""
    origin = origin_of(store, file)
    reader = reader_for(origin.agent, declared)
    if reader is None:
        raise DamagedError(f"There is no reader for {origin.agent} any more.")
    reading = reader.start(SourceFile(origin.path, partial(_companion, store, origin)))
    lines = lines_of(origin.path, Chunks(original_bytes(store, file)))
    return (event for event in Feeding(reading, reader.shape(origin.path)).read(lines) if isinstance(event, Event))


def _companion(store: Store, origin: Origin, path: PurePosixPath) -> bytes | None:
    try:
        return companion_bytes(store.db, store.archive, origin, path)
    except DamagedError:
        return None


class EventPlace(NamedTuple):
    """Which event of a file: the place of its record, and its kind."""

    offset: int
    kind: EventKind


class EventTexts:
    """Reads texts of events, one at a time. The file of the last one stays open until `close`: asking file by file, in
    the order of the records, is cheapest."""

    def __init__(self, db: apsw.Connection, archive: Archive, declared: tuple[Description, ...] = ()) -> None:
        self._db = db
        self._archive = archive
        self._declared = declared
        self._origins: dict[int, Origin] = {}
        self._last: tuple[ArchiveName, ArchivedFile] | None = None

    def close(self) -> None:
        if self._last is not None:
            self._last[1].close()
            self._last = None

    def events(self, file: FileRow, place: EventPlace, length: int) -> list[Event] | None:
        """The events of this kind in a record, or None where the archive does not hold them any more. Empty where the
        record means nothing by itself: then `events_in_context` knows."""
        try:
            events = self._events(file, place.offset, length)
        except DamagedError:
            return None
        return [event for event in events if event.kind is place.kind]

    def events_in_context(self, file: FileRow, places: Collection[EventPlace]) -> dict[EventPlace, list[Event]]:
        """The same of records that only those before them explain, such as the end of a command whose output came
        piece by piece: the file is read from its beginning, as it was when it was learned."""
        told: dict[EventPlace, list[Event]] = {}
        reader = reader_for(file.agent, self._declared)
        if reader is None:
            return told
        origin = self._origin(file)
        lines = lines_of(origin.path, Chunks(self._archive.read(file.object_name, file.held_bytes)))
        try:
            for event in Feeding(self._reading(reader, origin), reader.shape(origin.path)).read(lines):
                if isinstance(event, Event) and (place := EventPlace(event.offset, event.kind)) in places:
                    told.setdefault(place, []).append(event)
        except DamagedError:
            return told
        return told

    def _events(self, file: FileRow, offset: int, length: int) -> list[Event]:
        reader = reader_for(file.agent, self._declared)
        origin = self._origin(file)
        if reader is None:
            return []
        raw = self._raw(file, origin, offset, length)
        return [event for event in _alone(self._reading(reader, origin), raw) if isinstance(event, Event)]

    def _reading(self, reader: Reader, origin: Origin) -> FileReading:
        return reader.start(SourceFile(origin.path, partial(companion_bytes, self._db, self._archive, origin)))

    def _raw(self, file: FileRow, origin: Origin, offset: int, length: int) -> bytes:
        if not is_packed(origin.path):
            return self._held(file).read(offset, length)
        name = file.object_name
        whole = lines_of(origin.path, Chunks(self._archive.read(name, file.held_bytes)))
        whole.read(offset)
        return whole.read(length)

    def _origin(self, file: FileRow) -> Origin:
        if file.id not in self._origins:
            self._origins[file.id] = origin_in(self._held(file).header)
        return self._origins[file.id]

    def _held(self, file: FileRow) -> ArchivedFile:
        name = file.object_name
        if self._last is None or self._last[0] != name:
            self.close()
            self._last = (name, self._archive.held(name))
        return self._last[1]


def _alone(reading: FileReading, raw: bytes) -> Iterable[Reading]:
    """What one record says by itself: a line, or a piece of a document or text."""
    if isinstance(reading, Piecemeal):
        return read_piece(reading, Record(0, len(raw), raw))
    return Framing(reading).read([raw + b"\n"])


def text_of(agent: str, event: Event) -> str:
    """What an event says; of a call what it is about."""
    if event.kind is not EventKind.CALL:
        return event.text
    arguments = event.arguments or {}
    return tools.target_of(tools.kind_of(tool_kinds(agent), event.tool, arguments), event.tool, arguments)
