"""The text of one event, from the archive: the database holds where it lies, not what it says.

Only the frames that hold the record are unpacked. The text is cleaned and redacted before it leaves this module.
"""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePosixPath

import apsw

from afterwit.actions import tools
from afterwit.agents.declared.description import Description
from afterwit.agents.protocol import FileReading, SourceFile
from afterwit.agents.registry import reader_for
from afterwit.capture.assembly.texts import safe_piece
from afterwit.capture.derived import Origin, origin_in
from afterwit.capture.part_rows import companion_bytes
from afterwit.guard.redaction import Redactor
from afterwit.model.errors import DamagedError
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Reading
from afterwit.sources.documents import Piecemeal, read_piece
from afterwit.sources.framing import Framing, Record
from afterwit.sources.lines import Chunks, is_packed, lines_of
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.frames import ArchivedFile
from afterwit.store.rows.files import FileRow
from afterwit.text.pasted import own_words

_WORD = re.compile(r"\w+")


class Bodies:
    """Reads texts of events, one at a time. The file of the last one stays open until `close`: asking file by file, in
    the order of the records, is cheapest."""

    def __init__(
        self, db: apsw.Connection, archive: Archive, redactor: Redactor, declared: tuple[Description, ...] = ()
    ) -> None:
        self._db = db
        self._archive = archive
        self._redactor = redactor
        self._declared = declared
        self._origins: dict[int, Origin] = {}
        self._last: tuple[ArchiveName, ArchivedFile] | None = None

    def close(self) -> None:
        if self._last is not None:
            self._last[1].close()
            self._last = None

    def piece(self, file: FileRow, kind: EventKind, offset: int, length: int, wanted: Sequence[str]) -> str | None:
        """What the event says around the wanted words, or None where the archive does not hold it any more. Of several
        events of this kind in one record, the first that holds a wanted word."""
        texts = self._texts(file, kind, offset, length)
        if texts is None:
            return None
        chosen = next((text for text in texts if _holds(text, wanted)), texts[0] if texts else None)
        return None if chosen is None else safe_piece(chosen, wanted, self._redactor)

    def typed_piece(self, file: FileRow, offset: int, length: int, wanted: Sequence[str]) -> str | None:
        """The same of a prompt, without what was pasted into it; "" where the words stand only there."""
        texts = self._texts(file, EventKind.PROMPT, offset, length)
        if not texts:
            return None
        words = [word for term in wanted for word in _WORD.findall(term)]
        typed = next((text for text in map(own_words, texts) if _holds(text, words)), "")
        return safe_piece(typed, wanted, self._redactor)

    def _texts(self, file: FileRow, kind: EventKind, offset: int, length: int) -> list[str] | None:
        try:
            events = self._events(file, offset, length)
        except DamagedError:
            return None
        return [_said(file.agent, event) for event in events if event.kind is kind]

    def _events(self, file: FileRow, offset: int, length: int) -> list[Event]:
        reader = reader_for(file.agent, self._declared)
        origin = self._origin(file)
        if reader is None:
            return []
        reading = reader.start(SourceFile(origin.path, partial(_companion, self._db, self._archive, origin)))
        raw = self._raw(file, origin, offset, length)
        return [event for event in _alone(reading, raw) if isinstance(event, Event)]

    def _raw(self, file: FileRow, origin: Origin, offset: int, length: int) -> bytes:
        if not is_packed(origin.path):
            return self._held(file).read(offset, length)
        name = file.archived_as
        whole = lines_of(origin.path, Chunks(self._archive.read(name, file.held_bytes)))
        whole.read(offset)
        return whole.read(length)

    def _origin(self, file: FileRow) -> Origin:
        if file.id not in self._origins:
            self._origins[file.id] = origin_in(self._held(file).header)
        return self._origins[file.id]

    def _held(self, file: FileRow) -> ArchivedFile:
        name = file.archived_as
        if self._last is None or self._last[0] != name:
            self.close()
            self._last = (name, self._archive.held(name))
        return self._last[1]


def _alone(reading: FileReading, raw: bytes) -> Iterable[Reading]:
    """What one record says by itself: a line, or a piece of a document or text."""
    if isinstance(reading, Piecemeal):
        return read_piece(reading, Record(0, len(raw), raw))
    return Framing(reading).read([raw + b"\n"])


def _holds(text: str, wanted: Sequence[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in wanted)


def _said(agent: str, event: Event) -> str:
    if event.kind is not EventKind.CALL:
        return event.text
    arguments = event.arguments or {}
    return tools.target_of(tools.kind_of(agent, event.tool, arguments), event.tool, arguments)


def _companion(db: apsw.Connection, archive: Archive, origin: Origin, path: PurePosixPath) -> bytes | None:
    return companion_bytes(db, archive, origin, path)
