"""Reads the sessions of Gemini CLI: whole documents until spring 2026, since then append logs of the same messages.

    tmp/<project>/chats/session-<time>-<id>.json     a document
    tmp/<project>/chats/session-<time>-<id>.jsonl    a log: header, messages, `$set`, `$rewindTo`
    tmp/<project>/chats/<parent>/<id>.jsonl          the log of a subagent

In a log a message comes again under its id when more of it is known, and `$set` may repeat all messages; each piece is
told once, when it first stands there. A rewind drops messages from the agent's view, not from history: what was said
and done stays, what follows has ids of its own, and nothing is counted twice. A resumed document goes on as a log
beside it; equal ids make the copies known. The project is a hash or a short name; its folder stands in the first
message of newer sessions, in `.project_root`, and in `projects.json`.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.gemini.messages import TYPES, message_readings
from afterwit.agents.places import Place
from afterwit.agents.protocol import Shape, SourceFile
from afterwit.agents.reading import ReadingMemory
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_MAIN = re.compile(r"tmp/[^/]+/chats/session-[^/]+\.jsonl?")
_CHILD = re.compile(r"tmp/[^/]+/chats/[^/]+/[^/]+\.jsonl")
_PROJECTS = PurePosixPath("projects.json")
_HEADER = frozenset({"sessionId", "projectHash", "startTime", "lastUpdated"})


class GeminiState(ReadingMemory):
    session: str = ""
    is_child: bool = False


class GeminiReader:
    agent = "gemini"
    evidence = ReaderEvidence.REAL_DATA

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if _MAIN.fullmatch(str(path)) or _CHILD.fullmatch(str(path)) else None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.DOCUMENT if path.suffix == ".json" else Shape.LINES

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return (_root_file(path.parts[1]), _PROJECTS) if self.primary(path) else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return "sessionId" in record and "projectHash" in record and "startTime" in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> "GeminiReading":
        return GeminiReading(file, msgspec.msgpack.decode(saved, type=GeminiState) if saved else GeminiState())


class GeminiReading:
    """The reading of one session, document or log."""

    def __init__(self, file: SourceFile, state: GeminiState) -> None:
        self._file = file
        self._state = state
        self._is_document = file.path.suffix == ".json"
        self._is_below_parent = _CHILD.fullmatch(str(file.path)) is not None
        self.known: Mapping[str, int] = state.known
        self.unknown: Mapping[str, int] = state.unknown

    def save(self) -> bytes:
        return b"" if self._is_document else msgspec.msgpack.encode(self._state)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        return list(self._document(value, record) if self._is_document else self._line(value, record))

    def piece(self, record: Record) -> list[Reading]:
        """One message of a document."""
        value = msgspec.json.decode(record.raw)
        if isinstance(value, dict):
            return list(self._message(value, record))
        self._state.count("(no object)", is_known=False)
        return []

    def _document(self, document: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        yield from self._header(document)
        for message in items(record, "messages"):
            yield from self.piece(message)

    def _line(self, value: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        if "$rewindTo" in value:
            self._state.count("$rewindTo", is_known=True)
        elif "$set" in value:
            self._state.count("$set", is_known=True)
            patch = fields.mapping(value, "$set")
            yield from self._patched(patch)
            for message in fields.mappings(patch, "messages"):
                yield from self._told(message, record)
        elif "type" not in value and not _HEADER.isdisjoint(value):
            self._state.count("metadata", is_known=True)
            yield from self._header(value)
        else:
            yield from self._message(value, record)

    def _message(self, message: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        name = fields.plain_id(message, "type")
        self._state.count(name, is_known=name in TYPES)
        yield from self._told(message, record)

    def _told(self, message: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        if fields.plain_id(message, "type") in TYPES:
            place = Place.of(self._session, record)
            yield from message_readings(message, place, self._state, is_child=self._state.is_child)

    def _header(self, header: Mapping[str, Any]) -> Iterator[Reading]:
        self._state.session = fields.plain_id(header, "sessionId")
        self._state.is_child = header.get("kind") == "subagent" or self._is_below_parent
        parent = self._file.path.parent.name if self._is_below_parent else ""
        yield Facts(
            session=self._session,
            at_ms=ms_from_any(header.get("startTime")),
            cwd=self._folder(header),
            title=fields.text(header, "summary"),
            parent=parent,
            relation=Relation.SUBAGENT if self._state.is_child else None,
        )

    def _patched(self, patch: Mapping[str, Any]) -> Iterator[Reading]:
        title = fields.text(patch, "summary")
        if title:
            at_ms = ms_from_any(patch.get("lastUpdated"))
            yield Facts(session=self._session, at_ms=at_ms, title=title)

    @property
    def _session(self) -> str:
        """The id in the header; before it is read, the name of the file."""
        return self._state.session or self._file.path.stem

    def _folder(self, header: Mapping[str, Any]) -> str:
        """The project's folder, from the files beside the sessions or, for a subagent, from the header."""
        project = self._file.path.parts[1] if len(self._file.path.parts) > 1 else ""
        root = self._file.companion(_root_file(project))
        if root and root.strip():
            return root.decode("utf-8", "replace").strip()
        projects = fields.decoded_file(self._file.companion(_PROJECTS))
        wanted = (project, fields.text(header, "projectHash"))
        for folder, name in fields.mapping(projects, "projects").items():
            if name == project or hashlib.sha256(folder.encode()).hexdigest() in wanted:
                return folder
        directories = header.get("directories")
        first = directories[0] if isinstance(directories, list) and directories else ""
        return first if isinstance(first, str) else ""


def _root_file(project: str) -> PurePosixPath:
    return PurePosixPath("tmp", project, ".project_root")
