"""The older transcripts of Cursor: plain texts with a marker before each piece.

    user:                    a person, with `<user_query>` tags around the words
    assistant: (or A:)       the agent
    [Thinking] …             one line
    [Tool call] Name         its arguments follow, one `  name: value` a line
    [Tool result] Name       its output follows, if it is there at all

A result belongs to the oldest open call of its tool; whether it was a failure is not said. Every line that stands
behind a finished piece is the agent speaking on.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from afterwit.agents.cursor_cli.queries import spoken
from afterwit.agents.places import Place
from afterwit.guard.markers import without_notes
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Reading, Result
from afterwit.sources.framing import Record

_MARKER = re.compile(
    rb"(?P<role>user|assistant|system|A):[ \t]*$|\[(?P<kind>Thinking|Tool call|Tool result)\][ \t]*(?P<rest>.*)$"
)
_ARGUMENT = re.compile(r"\s+([\w.-]+):\s?(.*)")
_ROLES = {b"user": "user", b"assistant": "reply", b"A": "reply", b"system": "system"}
_KINDS = {b"Thinking": "thought", b"Tool call": "call", b"Tool result": "result"}


class _Line(NamedTuple):
    begin: int
    end: int
    text: bytes


class PlainReading:
    """The reading of one plain transcript."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._open: list[tuple[str, str]] = []  # tool and id of calls without a result
        self._counts: dict[str, int] = {}
        self.known: Mapping[str, int] = self._counts
        self.unknown: Mapping[str, int] = {}

    def save(self) -> bytes:
        return b""

    def feed(self, record: Record) -> Iterator[Reading]:
        for begin, end in _pieces(record.raw):
            yield from self.piece(Record(record.offset + begin, end - begin, record.raw[begin:end]))

    def piece(self, record: Record) -> Iterator[Reading]:
        head, _, body = record.raw.partition(b"\n")
        marker = _MARKER.match(head.rstrip(b"\r"))
        kind = _kind_of(marker)
        self._counts[kind] = self._counts.get(kind, 0) + 1
        text = without_notes((body if marker else record.raw).decode("utf-8", "replace")).strip()
        rest = (marker["rest"] or b"").decode("utf-8", "replace").strip() if marker else ""
        yield from self._read(kind, rest, text, Place.of(self._session, record))

    def _read(self, kind: str, rest: str, text: str, place: Place) -> Iterator[Reading]:
        if kind == "user":
            yield from spoken(text, place)
        elif kind == "call":
            call_id = place.made_up()
            self._open.append((rest, call_id))
            yield place.asked(call_id, rest or "?", dict(_arguments(text)))
        elif kind == "result":
            yield place.answered(self._answered(rest) or place.made_up(), text, Result())
        elif kind == "thought":
            yield place.said(EventKind.THOUGHT, rest)
        elif text:
            yield place.said(EventKind.REPLY if kind == "reply" else EventKind.NOTICE, text)

    def _answered(self, tool: str) -> str:
        for number, (name, call_id) in enumerate(self._open):
            if name == tool:
                del self._open[number]
                return call_id
        return ""


def _kind_of(marker: "re.Match[bytes] | None") -> str:
    if marker is None:
        return "reply"
    return _ROLES[marker["role"]] if marker["role"] else _KINDS[marker["kind"]]


def _pieces(raw: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each piece that says something."""
    begin, kind = 0, "reply"
    for line in _lines(raw):
        marker = _MARKER.match(line.text)
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
