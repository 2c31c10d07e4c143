"""Cuts a log of JSON lines into records and feeds them to a reader.

Promises: no good record is lost to a bad neighbour, and every byte that could not be read lies in exactly one
`Problem`. Two objects glued on one line are two records. A last line that is not finished is left for the next run
(`UNFINISHED`). Any way of splitting a file into appends yields the same records. The work grows linearly with the line.

An object behind damage is found if the line ends behind it, or the next object or NUL padding follows, which tells it
from one nested in the damaged one. What we told the agent ourselves is taken out before the reader gets a record: what
strings lose in length stands as blanks behind them, so that offsets stay.
"""

import json
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from afterwit.model.readings import Problem, Reading
from afterwit.model.text import regex
from afterwit.redaction.markers import OPENING, without_notes

BLANK = " \t\r\n"
_WINDOW = 4096
_CUT_MARGIN = 16  # longer than any literal or escape that the end of a window can cut
_TRIES = 1000  # a torn record needs one or two; only hostile lines need more
_MOST_DIGITS = 300  # Python refuses to convert more than a few thousand
DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_MARK = regex(r'(?s)["{}\[\]]|\\.')


class LinePiece(NamedTuple):
    """A part of a line: one whole JSON object, or damage."""

    start: int
    end: int
    is_object: bool


class _Attempt(NamedTuple):
    """The decoding of the object that begins somewhere: its end, or the place where decoding stopped."""

    end: int | None
    stop: int


def cut(body: bytes, *, is_ended: bool) -> Iterator[LinePiece]:
    """The pieces of a line without its newline. What a line that is not ended yet has behind its last whole object is
    one piece of damage, because more bytes may change what it is."""
    text = body.decode("latin-1")  # one character a byte, so that positions are offsets
    at = 0
    while at < len(text):
        tried = _attempt(text, at)
        if tried.end is not None:
            yield LinePiece(at, tried.end, is_object=True)
            at = after_blanks(text, tried.end)
            continue
        start = _resync(text, at, tried.stop) if is_ended else None
        stop = len(text) if start is None else start
        yield LinePiece(at, stop, is_object=False)
        at = stop


def clean_json(piece: bytes) -> bytes | None:
    """The same object as valid UTF-8 JSON, or None. Bad bytes and lone surrogates are replaced, raw control characters
    escaped; a number that JSON does not have becomes null."""
    try:
        value = json.loads(
            piece.decode("utf-8", "replace"),
            strict=False,
            parse_int=_int_or_none,
            parse_float=_finite_or_none,
            parse_constant=_finite_or_none,
        )
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return None


def _attempt(text: str, at: int) -> _Attempt:
    """Decodes in growing windows: the error that `json` makes costs as much as all the text before it."""
    if text[at] != "{":
        return _Attempt(None, at)
    size = _WINDOW
    while True:
        try:
            end = at + DECODER.raw_decode(text[at : at + size])[1]
            return _Attempt(end, end)
        except json.JSONDecodeError as error:
            if at + size >= len(text) or not _is_cut(error, size):
                return _Attempt(None, at + error.pos)
        except RecursionError:
            return _Attempt(_end_of_brackets(text, at), len(text))
        size *= 4


def _is_cut(error: json.JSONDecodeError, size: int) -> bool:
    """Whether the end of the window may be what is wrong."""
    return error.pos > size - _CUT_MARGIN or error.msg.startswith("Unterminated string")


def _resync(text: str, at: int, stop: int) -> int | None:
    """The start of the next record after damage that begins at `at` and made no sense at `stop`.

    What lies between is the beginning of a JSON object, so a record in there was taken for a value of it, and then it
    ends at `stop`; or its opening quote closed a torn string, and then it starts two characters before.
    """
    for _ in range(_TRIES):
        nested = _object_ending_at(text, at, stop)
        if nested is not None:
            return nested
        at = text.find('{"', max(at + 1, _before_blanks(text, stop) - 2))
        if at < 0:
            return None
        end, stop = _attempt(text, at)
        if end is not None:
            if _stands_alone(text, end):
                return at
            stop = end
    return None


def _object_ending_at(text: str, at: int, stop: int) -> int | None:
    """The start of the object nested in the one at `at` that ends at `stop` and stands alone."""
    end = _before_blanks(text, stop)
    if end <= at + 1 or text[end - 1] != "}" or not _stands_alone(text, stop):
        return None
    opened: list[int] = []
    start = None
    for place, mark in _brackets(text, at, end):
        if mark in "{[":
            opened.append(place)
        elif opened:
            start = opened.pop()
    return start


def _end_of_brackets(text: str, at: int) -> int | None:
    """Where the object ends by its brackets alone, for objects too deep to decode."""
    depth = 0
    for place, mark in _brackets(text, at, len(text)):
        depth += 1 if mark in "{[" else -1
        if depth == 0:
            return place + 1
    return None


def _brackets(text: str, at: int, end: int) -> Iterator[tuple[int, str]]:
    """The brackets outside of strings."""
    is_string = False
    for match in _MARK.finditer(text, at, end):
        mark = match[0]
        if mark == '"':
            is_string = not is_string
        elif not is_string and mark[0] != "\\":
            yield match.start(), mark


def _stands_alone(text: str, end: int) -> bool:
    at = after_blanks(text, end)
    return at == len(text) or text[at] in "{\0"


def after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANK:
        at += 1
    return at


def _before_blanks(text: str, at: int) -> int:
    while at > 0 and text[at - 1] in BLANK:
        at -= 1
    return at


def _int_or_none(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MOST_DIGITS else None


def _finite_or_none(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


_SIGN = OPENING.encode()
_DEEPEST = 3  # JSON in a string of JSON, and so on
_BEGINNING = regex(r"(?:\x00json:)?\s{0,80}([{[])")  # of JSON in a string; Hermes puts a mark of its own before it
_STRING = regex(rb'(?s)"(?:[^"\\]|\\.)*"')
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
            skipped = _count_leading(line, offset)
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
        if readings is None and (clean := clean_json(piece)) is not None:
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


def _count_leading(line: bytes, offset: int) -> int:
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
