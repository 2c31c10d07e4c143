"""Cursor's agent transcripts: JSON lines in newer versions, plain texts in older ones. They have no times, ids, models
or tokens, and lines no results. A person's words stand between `<user_query>` tags; what stands around was injected.

    user:                    a person, with `<user_query>` tags around the words
    assistant: (or A:)       the agent
    [Thinking] …             one line
    [Tool call] Name         its arguments follow, one `  name: value` a line
    [Tool result] Name       its output follows, if it is there at all; it belongs to the oldest open call of its tool

Every line behind a finished piece is the agent speaking on. An output may print any marker: behind one nobody is taken
for a person. Written from documentation; chat databases beside the transcripts are not read.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.agents.log_reader import (
    DocumentReading,
    FileReading,
    LinesReading,
    Place,
    Reader,
    ReadingMemory,
    Shape,
    SourceFile,
)
from afterwit.agents.messages import SaidBlock, blocks_of, inside_tags, tell_block, without_tags
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.model.text import regex
from afterwit.redaction.markers import without_notes
from afterwit.sources.framing import Record

_MARKER = regex(
    rb"(?P<role>user|assistant|system|A):[ \t]*$|\[(?P<kind>Thinking|Tool call|Tool result)\][ \t]*(?P<rest>.*)$"
)
_ARGUMENT = regex(r"\s+([\w.-]+):\s?(.*)")
_MARKS = {b"user": "user", b"assistant": "reply", b"A": "reply", b"system": "system"}
_KINDS = {b"Thinking": "thought", b"Tool call": "call", b"Tool result": "result"}
_QUERY = "user_query"
_FOLDER = "agent-transcripts"
_ROLES = frozenset(["user", "assistant", "system", "tool"])
_CONTROL = frozenset(["turn_started", "turn_ended", "checkpoint"])


class _Line(NamedTuple):
    begin: int
    end: int
    text: bytes


class PlainReading(DocumentReading):
    def __init__(self, file: SourceFile) -> None:
        super().__init__(file)
        self._open: list[tuple[str, str]] = []  # tool and id of calls without a result

    def feed(self, record: Record) -> Iterator[Reading]:
        for begin, end in _pieces(record.raw):
            yield from self.piece(Record(record.offset + begin, end - begin, record.raw[begin:end]))

    def piece(self, record: Record) -> Iterator[Reading]:
        head, _, body = record.raw.partition(b"\n")
        marker = _MARKER.match(head.rstrip(b"\r"))
        kind = _kind_of(marker)
        self._memory.count(kind, is_known=True)
        text = without_notes((body if marker else record.raw).decode("utf-8", "replace")).strip()
        rest = (marker["rest"] or b"").decode("utf-8", "replace").strip() if marker else ""
        yield from self._tell(kind, rest, text, Place.of(self._session, record))

    def _tell(self, kind: str, rest: str, text: str, place: Place) -> Iterator[Reading]:
        if kind == "user":
            yield from spoken(text, place)
        elif kind == "call":
            call_id = place.made_up()
            self._open.append((rest, call_id))
            yield place.asked(call_id, rest or "?", dict(_arguments(text)))
        elif kind == "result":
            yield place.answered(self._result_event(rest) or place.made_up(), text, Result())
        elif kind == "thought":
            yield place.said(EventKind.THOUGHT, rest)
        else:
            yield from place.told(EventKind.REPLY if kind == "reply" else EventKind.NOTICE, text)

    def _result_event(self, tool: str) -> str:
        for number, (name, call_id) in enumerate(self._open):
            if name == tool:
                del self._open[number]
                return call_id
        return ""


def _kind_of(marker: "re.Match[bytes] | None") -> str:
    if marker is None:
        return "reply"
    return _MARKS[marker["role"]] if marker["role"] else _KINDS[marker["kind"]]


def _pieces(raw: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each piece that says something."""
    begin, kind, has_output = 0, "reply", False
    for line in _lines(raw):
        marker = _MARKER.match(line.text)
        has_output = has_output or (kind == "result" and marker is None and bool(line.text.strip()))
        if marker and has_output and marker["role"] == b"user":
            continue
        is_over = kind == "thought" or (kind == "call" and line.text[:1] not in (b"", b" ", b"\t"))
        if marker or is_over:
            if raw[begin : line.begin].strip():
                yield begin, line.begin
            begin, kind = line.begin, _kind_of(marker)
    if raw[begin:].strip():
        yield begin, len(raw)


def _lines(raw: bytes) -> Iterator[_Line]:
    begin = 0
    while begin < len(raw):
        newline = raw.find(b"\n", begin)
        end = len(raw) if newline < 0 else newline + 1
        yield _Line(begin, end, raw[begin:end].rstrip(b"\r\n"))
        begin = end


def _arguments(text: str) -> Iterator[tuple[str, str]]:
    """The arguments of a call; a line without a name goes on with the last value."""
    name, values = "", list[str]()
    for line in ("  " + text).splitlines():
        match = _ARGUMENT.fullmatch(line)
        if match:
            if name:
                yield name, "\n".join(values)
            name, values = match[1], [match[2]]
        else:
            values.append(line)
    if name:
        yield name, "\n".join(values)


class TranscriptReading(LinesReading[ReadingMemory]):
    state_type = ReadingMemory

    @property
    def _parent(self) -> str:
        path = self._file.path
        return path.parents[1].name if path.parent.name == "subagents" else ""

    def begin(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:  # noqa: ARG002 - the protocol's
        if self._parent:
            yield Facts(session=self._session, parent=self._parent, relation=Relation.SUBAGENT)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role, kind = fields.text(value, "role"), fields.text(value, "type")
        is_known = role in _ROLES or (not role and kind in _CONTROL)
        self._state.count(role or kind, is_known=is_known)
        if role not in _ROLES:
            return
        content = fields.mapping(value, "message").get("content", value.get("content"))
        for number, block in enumerate(blocks_of(content)):
            if isinstance(block, SaidBlock):
                yield from self._text_events(role, block.text, place)
            else:
                yield from tell_block(block, place, number)

    def _text_events(self, role: str, text: str, place: Place) -> Iterator[Event]:
        if role != "user":
            yield place.said(EventKind.REPLY if role == "assistant" else EventKind.NOTICE, text)
            return
        yield from spoken(text, place, is_delegated=bool(self._parent))


class CursorTranscriptReader(Reader):
    agent = "cursor-cli"
    lines = TranscriptReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_kept = path.parts[0] == "projects" and _FOLDER in path.parts[:-1]
        return path if is_kept and path.suffix in (".jsonl", ".txt") else None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.TEXT if path.suffix == ".txt" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        message = record.get("message")
        is_message = isinstance(message, Mapping) and "content" in message and "role" not in message
        return is_message and record.get("role") in ("user", "assistant") and "type" not in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        return PlainReading(file) if file.path.suffix == ".txt" else super().start(file, saved)


def spoken(text: str, place: Place, *, is_delegated: bool = False) -> Iterator[Event]:
    """The events of such a message. Without tags it is a person's, unless it begins like something injected."""
    query = max(text.rfind(f"<{_QUERY}>"), 0)  # the last: a file that is shown before may hold such tags, too
    human = inside_tags(text[query:], _QUERY)
    around = text[:query] + without_tags(text[query:], _QUERY)[0] if human else text
    if not human and not around.lstrip().startswith("<"):
        human, around = around, ""
    yield from place.told(EventKind.NOTICE, around)
    yield from place.told(EventKind.NOTICE if is_delegated else EventKind.PROMPT, human)
