"""The archived originals of transcripts: where they come from, their bytes, what the agent's reader makes of them.

Nothing here is redacted; whoever shows a reading does that first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.agents.declared.description import Description
from afterwit.agents.protocol import SourceFile
from afterwit.agents.registry import reader_for
from afterwit.capture.derived import Origin, origin_in
from afterwit.capture.logs import Feeding
from afterwit.capture.part_rows import companion_bytes
from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, rules_for
from afterwit.model.errors import DamagedError
from afterwit.model.readings import Event
from afterwit.redaction.redaction import Redactor
from afterwit.sources.places import Chunks, lines_of
from afterwit.store.rows.files import FileRow, file_by_id
from afterwit.store.rows.parts import parts_of_session
from afterwit.store.rows.session_list import SessionRow
from afterwit.store.store import Store, opened, require


class TranscriptSource(NamedTuple):
    """What transcripts are read from."""

    store: Store
    redactor: Redactor
    declared: tuple[Description, ...] = ()  # the logs that people have described


@contextmanager
def source_of(world: World) -> Iterator[TranscriptSource]:
    """The store, with the redaction of this machine."""
    require(world.layout)
    with opened(world.layout) as store:
        rules = rules_for(world, store)
        yield TranscriptSource(store, redactor_for(rules.key, rules.people, rules.allow), rules.declared)


def origin_of(store: Store, file: FileRow) -> Origin:
    """Which file it was. Raises DamagedError where the archive does not hold it."""
    return origin_in(store.archive.header(file.archived_as))


def original_bytes(store: Store, file: FileRow) -> Iterator[bytes]:
    return store.archive.read(file.archived_as, file.held_bytes)


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
