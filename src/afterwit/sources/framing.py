"""Cuts a log of JSON lines into records and feeds them to a reader.

Promises: no good record is lost to a bad neighbour, and every byte that could not be read becomes a `Problem` that says
where. Two objects glued on one line are two records. A last line that is not finished yet is left for the next run:
`consumed` stops before it, and the one `Problem` that says so has the reason `UNFINISHED`. Any way of splitting a file
into appends yields the same records with the same offsets.

What we told the agent ourselves is taken out of a record before the reader gets it. Only the strings that hold a note
are changed; what they lose in length stands as blanks behind them, so that every offset stays where it was. A string
that cannot be decoded stays as it is: the texts that come out of it are cleaned again on their way into a row.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from afterwit.model.readings import Problem, Reading
from afterwit.redaction.markers import OPENING, without_notes
from afterwit.sources.damaged import cleaned, cut

_SIGN = OPENING.encode()
_DEEPEST = 3  # JSON in a string of JSON, and so on
_BEGINNING = re.compile(r"(?:\x00json:)?\s{0,80}([{[])")  # of JSON in a string; Hermes puts a mark of its own before it
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
UNFINISHED = "the last line is not finished"
_NO_OBJECT = "not a JSON object"
_UNDECODABLE = "JSON that cannot be decoded"
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"


class Record(NamedTuple):
    """One JSON object of a log: where it lies in the file, and its bytes as valid UTF-8 JSON."""

    offset: int
    length: int
    raw: bytes


class Feedable(Protocol):
    """The part of a reading that framing needs. Raises `msgspec.DecodeError` on bytes that are no JSON object, and
    then must have changed nothing."""

    def feed(self, record: Record) -> Iterable[Reading]: ...


class Framing:
    """One pass over the lines of one file, from a given offset on."""

    def __init__(self, reading: Feedable, start: int = 0) -> None:
        self._reading = reading
        self._offset = start
        self.consumed = start

    def skip(self, length: int) -> None:
        """Passes over bytes that are not to be read."""
        self._offset += length
        self.consumed = self._offset

    def read(self, lines: Iterable[bytes]) -> Iterator[Reading]:
        """Readings of these lines, in order. A line keeps its newline; only the last one may lack it."""
        for line in lines:
            offset, self._offset = self._offset, self._offset + len(line)
            if line.startswith(b"{") and line.endswith(b"}\n"):  # nearly all lines: nothing around the object
                body = line[:-1]
                readings = self._feed(Record(offset, len(body), body))
                if readings is None:
                    yield from self._salvage(body, offset, is_ended=True)
                else:
                    yield from readings
                self.consumed = self._offset
                continue
            is_ended = line.endswith(b"\n")
            skipped = _leading(line, offset)
            body = line[skipped:].rstrip(_BLANK)
            if body:
                yield from self._read_body(body, offset + skipped, is_ended=is_ended)
            if is_ended:
                self.consumed = self._offset

    def _read_body(self, body: bytes, offset: int, *, is_ended: bool) -> Iterator[Reading]:
        readings = self._feed(Record(offset, len(body), body))
        if readings is None:
            yield from self._salvage(body, offset, is_ended=is_ended)
        else:
            yield from readings
            self.consumed = offset + len(body)

    def _salvage(self, body: bytes, offset: int, *, is_ended: bool) -> Iterator[Reading]:
        """Reads what can be read of a line that is not one clean JSON object."""
        for start, end, is_object in cut(body, is_ended=is_ended):
            if is_object:
                yield from self._feed_piece(body[start:end], offset + start)
                self.consumed = offset + end
            else:
                reason = _NO_OBJECT if is_ended else UNFINISHED
                yield Problem(offset=offset + start, length=end - start, reason=reason, is_passing=not is_ended)

    def _feed_piece(self, piece: bytes, offset: int) -> list[Reading]:
        readings = self._feed(Record(offset, len(piece), piece))
        if readings is None and (clean := cleaned(piece)) is not None:
            readings = self._feed(Record(offset, len(piece), clean))
        if readings is None:
            return [Problem(offset=offset, length=len(piece), reason=_UNDECODABLE)]
        return readings

    def _feed(self, record: Record) -> list[Reading] | None:
        """What the reader makes of the record, or None if it cannot decode it. msgspec raises UnicodeDecodeError on
        bad UTF-8, which is no DecodeError."""
        if _SIGN in record.raw:
            record = record._replace(raw=without_own_notes(record.raw))
        try:
            readings = self._reading.feed(record)
            return readings if isinstance(readings, list) else list(readings)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


def _leading(line: bytes, offset: int) -> int:
    """How many bytes stand before the body: blanks, and a byte order mark at the start of the file."""
    skipped = len(line) - len(line.lstrip(_BLANK))
    if offset == 0 and line.startswith(_BOM, skipped):
        skipped += len(_BOM)
        skipped += len(line) - skipped - len(line[skipped:].lstrip(_BLANK))
    return skipped


def without_own_notes(raw: bytes) -> bytes:
    """The same JSON, as long as before, without what we said ourselves."""
    return _without(raw, _DEEPEST) if _SIGN in raw and raw[:1] in (b"{", b"[") else raw


def _without(raw: bytes, depth: int) -> bytes:
    return _STRING.sub(lambda match: _without_in_string(match[0], depth) if _SIGN in match[0] else match[0], raw)


def _without_in_string(literal: bytes, depth: int) -> bytes:
    """One string in the source of JSON."""
    try:
        text = json.loads(literal, strict=False)
        shorter = json.dumps(without_notes(_without_nested(text, depth)), ensure_ascii=False).encode()
    except (ValueError, UnicodeError, RecursionError):
        return literal
    return shorter.ljust(len(literal)) if len(shorter) <= len(literal) else literal


def _without_nested(text: str, depth: int) -> str:
    """A text that is JSON itself, as some clients keep results and databases keep rows, without notes inside it."""
    beginning = _BEGINNING.match(text) if depth else None
    if beginning is None:
        return text
    json_text = text[beginning.start(1) :]
    try:
        json.loads(json_text)
    except (ValueError, RecursionError):
        return text
    return text[: beginning.start(1)] + _without(json_text.encode(), depth - 1).decode()
