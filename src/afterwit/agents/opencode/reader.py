"""Reads OpenCode's sessions: rendered from its database or its tree of files, and its exports.

Rendered sessions come line by line: the session, then each message with its parts behind it. An export is one document
`{info, messages: [{info, parts}]}`; its pieces are the messages. Ids are the same in all three, so that a session that
was moved from the tree to the database, or exported too, is counted once. State: the ids, role and model of the
message whose parts follow.

Where OpenCode keeps its sessions: a database, and before 2026 a tree of small files. The row of a session counts its
tokens and dates its last change; these columns are left out, because the messages say the same, and a growing session
is to grow at its end only.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.opencode import meaning
from afterwit.agents.opencode.meaning import OpencodeSpeaker
from afterwit.agents.places import Place
from afterwit.agents.protocol import FileReading, Shape, SourceFile
from afterwit.agents.reading import LinesReading, ReadingMemory, resumed
from afterwit.agents.rows import Row, column, native_id, row_in, row_of
from afterwit.model.kinds import ReaderEvidence
from afterwit.model.readings import Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.documents import items
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Files, Gatherer, Tree, TreeGatherer, session_in

_COUNTED = frozenset(
    (
        *("time_updated", "summary_additions", "summary_deletions", "summary_files", "summary_diffs", "cost"),
        *("tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read", "tokens_cache_write"),
    )
)
_UPDATED = frozenset(("time_updated",))
_PARTS = DatabaseTable("part", session="message_id", order=("id",), without=_UPDATED)
_DATABASE = Database(
    names=r"opencode(?:-[\w.-]+)?\.db",
    sessions=DatabaseTable("session", session="id", order=("id",), without=_COUNTED),
    tables=(
        DatabaseTable(
            "message",
            session="session_id",
            order=("time_created", "id"),
            changed="time_updated",
            without=_UPDATED,
            inner=(_PARTS,),
        ),
    ),
    updated="time_updated",
    marks=(DatabaseTable("part", session="session_id", changed="time_updated"),),
)
_TREE = Tree(
    "storage",
    (
        Files(
            "session/*/{session}.json",
            (Files("message/{session}/{message}.json", (Files("part/{message}/*.json"),)),),
        ),
    ),
)
_EXPORTS = ("exports", "export")


class _State(ReadingMemory):
    session: str = ""
    is_child: bool = False
    speaker: OpencodeSpeaker = msgspec.field(default_factory=OpencodeSpeaker)


class OpenCodeReader:
    agent = "opencode"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_rendered = path.suffix == ".jsonl" and (path.parent.suffix == ".db" or path.parent.name == "storage")
        is_export = path.suffix == ".json" and path.parent.name in _EXPORTS
        return path if is_rendered or is_export else None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.DOCUMENT if path.suffix == ".json" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table or row.file:
            return (row.table == "session" and "project_id" in row.values) or row.file.startswith("session/")
        info = fields.mapping(record, "info")
        return "messages" in record and ("projectID" in info or "directory" in info)

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        name = native_id(session_in(file.path)) or "unnamed"
        if self.shape(file.path) is Shape.DOCUMENT:
            return ExportReading(name.removesuffix(".json"))
        return RenderedReading(name, resumed(_State, saved))


class RenderedReading(LinesReading[_State]):
    def __init__(self, name: str, state: _State) -> None:
        super().__init__(state)
        self._state.session = state.session or name

    def feed(self, record: Record) -> list[Reading]:
        row = row_in(record.raw)
        kind = row.table or row.file.partition("/")[0]
        if kind == "session":
            return self._session(_decoded(row))
        if kind == "message":
            return self._message(record, row)
        if kind == "part":
            return self._part(record, row)
        self._state.count(kind, is_known=False)
        return []

    def _session(self, info: Mapping[str, Any]) -> list[Reading]:
        state = self._state
        state.count("session", is_known=True)
        state.session = fields.plain_id(info, "id") or state.session
        facts = meaning.session_facts(state.session, info)
        state.is_child = bool(facts.parent)
        return [facts]

    def _message(self, record: Record, row: Row) -> list[Reading]:
        info = _decoded(row)
        self._state.count(f"message/{fields.plain_id(info, 'role')}"[:40], is_known=True)
        self._state.speaker = meaning.speaker_of(info, is_child=self._state.is_child)
        at_ms = self._state.speaker.at_ms or ms_from_any(row.values.get("time_created"))
        return list(meaning.message_readings(Place.of(self._state.session, record, at_ms), info))

    def _part(self, record: Record, row: Row) -> list[Reading]:
        part = _decoded(row)
        kind = fields.plain_id(part, "type")
        is_known = kind in meaning.SPEAKING or kind in meaning.SILENT
        self._state.count(f"part/{kind}", is_known=is_known)
        speaker = self._state.speaker
        if fields.plain_id(part, "messageID", "message_id") != speaker.message:
            speaker = OpencodeSpeaker(is_child=self._state.is_child)
        place = Place.of(self._state.session, record, ms_from_any(row.values.get("time_created")))
        return list(meaning.part_readings(place, part, speaker))


class ExportReading:
    def __init__(self, name: str) -> None:
        self._session = name
        self._is_child = False
        self._counts = ReadingMemory()
        self.known: Mapping[str, int] = self._counts.known
        self.unknown: Mapping[str, int] = self._counts.unknown

    def save(self) -> bytes:
        return b""

    def feed(self, record: Record) -> Iterator[Reading]:
        info = fields.mapping(msgspec.json.decode(record.raw, type=dict[str, Any]), "info")
        self._counts.count("session" if info else "(no info)", is_known=bool(info))
        self._session = fields.plain_id(info, "id") or self._session
        facts = meaning.session_facts(self._session, info)
        self._is_child = bool(facts.parent)
        yield facts
        for message in items(record, "messages"):
            yield from self.piece(message)

    def piece(self, record: Record) -> Iterator[Reading]:
        message = msgspec.json.decode(record.raw)
        if not isinstance(message, dict):
            self._counts.count("(no message)", is_known=False)
            return
        info = fields.mapping(message, "info")
        self._counts.count("message", is_known=True)
        speaker = meaning.speaker_of(info, is_child=self._is_child)
        place = Place.of(self._session, record, speaker.at_ms)
        yield from meaning.message_readings(place, info)
        for part in fields.mappings(message, "parts"):
            kind = fields.plain_id(part, "type")
            self._counts.count(f"part/{kind}", is_known=kind in meaning.SPEAKING or kind in meaning.SILENT)
            yield from meaning.part_readings(place, part, speaker)


def _decoded(row: Row) -> dict[str, Any]:
    """The object that a row stands for: its columns, and what its column `data` holds."""
    data = column(row.values, "data")
    return {**row.values, **data, **_ids(row)} if isinstance(data, dict) else dict(row.values)


def _ids(row: Row) -> dict[str, Any]:
    return {name: row.values[name] for name in ("id", "message_id", "session_id") if name in row.values}


def gatherers() -> tuple[Gatherer, ...]:
    return DatabaseGatherer(_DATABASE), TreeGatherer(_TREE)
