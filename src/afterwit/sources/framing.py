"""Cuts a log of JSON lines into records and feeds them to a reader.

Promises: no good record is lost to a bad neighbour, and every byte that could not be read becomes a `Problem` that says
where. Two objects glued on one line are two records. A last line that is not finished yet is left for the next run:
`consumed` stops before it. Any way of splitting a file into appends yields the same records with the same offsets.
Knows JSON and lines; leaves the meaning of a record to the reader.
"""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from afterwit.model.readings import Problem, Reading

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_RESYNC_TRIES = 200
_DECODER = json.JSONDecoder()


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

    def read(self, lines: Iterable[bytes]) -> Iterator[Reading]:
        """Readings of these lines, in order. A line keeps its newline; only the last one may lack it."""
        for line in lines:
            offset, self._offset = self._offset, self._offset + len(line)
            body = line.strip(_BLANK)
            if offset == 0 and body.startswith(_BOM):
                body = body[len(_BOM) :].lstrip(_BLANK)
            if body:
                at = offset + line.index(body)
                try:
                    yield from self._reading.feed(Record(at, len(body), body))
                except (msgspec.DecodeError, RecursionError):
                    is_ended = line.endswith(b"\n")
                    yield from self._salvage(body, at, is_ended=is_ended)
                    if not is_ended:
                        return
                else:
                    self.consumed = at + len(body)
            if line.endswith(b"\n"):
                self.consumed = self._offset

    def _salvage(self, body: bytes, offset: int, *, is_ended: bool) -> Iterator[Reading]:
        """Reads what can be read of a line that is not one clean JSON object."""
        text = body.decode("latin-1")  # one character a byte, so that positions are offsets
        at = 0
        while at < len(text):
            end = _object_end(text, at)
            if end is None:
                rest = _next_object(text, at) if is_ended else None
                reason = "not a JSON object" if is_ended else "the last line is not finished"
                stop = rest if rest is not None else len(text)
                yield Problem(offset=offset + at, length=stop - at, reason=reason)
                if rest is None:
                    return
                at = rest
                continue
            yield from self._feed_piece(body[at:end], offset + at)
            at = end
            while at < len(text) and text[at].isspace():
                at += 1
            if not is_ended:
                self.consumed = offset + at

    def _feed_piece(self, piece: bytes, offset: int) -> Iterator[Reading]:
        try:
            yield from self._reading.feed(Record(offset, len(piece), piece))
        except (msgspec.DecodeError, RecursionError):
            clean = _cleaned(piece)
            try:
                readings = None if clean is None else self._reading.feed(Record(offset, len(piece), clean))
            except (msgspec.DecodeError, RecursionError):
                readings = None
            if readings is None:
                yield Problem(offset=offset, length=len(piece), reason="JSON that cannot be decoded")
            else:
                yield from readings


def _object_end(text: str, at: int) -> int | None:
    """Where the JSON object that begins here ends, or None."""
    if text[at] != "{":
        return None
    try:
        return _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None


def _next_object(text: str, at: int) -> int | None:
    """The start of a whole object that fills the rest of the line, after bytes that are none."""
    for _ in range(_RESYNC_TRIES):
        at = text.find('{"', at + 1)
        if at < 0:
            return None
        if _object_end(text, at) == len(text):
            return at
    return None


def _cleaned(piece: bytes) -> bytes | None:
    """The same object in valid UTF-8: bad bytes, lone surrogates and raw control characters are replaced."""
    try:
        value = json.loads(piece.decode("utf-8", "replace"), strict=False)
        return json.dumps(value).encode("ascii") if _is_paired(value) else _replaced(value)
    except (ValueError, RecursionError):
        return None


def _is_paired(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _replaced(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
