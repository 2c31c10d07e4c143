"""JSON documents: a file that is one JSON value, whole or not at all, and the places of the pieces inside it.

Promises: a document is read once, as one record; one that is only half written is a problem that may pass; a damaged
one is a problem, and nothing of it is guessed. Bad UTF-8, lone surrogates, raw control characters and numbers that JSON
does not have are replaced byte for byte, so that every offset stays where it was. A text is one record too, as it is.
`items` finds the elements of a list inside a document, each as a record of its own, at its place in the file.
Leaves the meaning of a document to its reader, and files of lines to `framing`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, runtime_checkable

import msgspec

from afterwit.model.readings import Problem, Reading
from afterwit.model.text import regex
from afterwit.sources.framing import DECODER, Feedable, Record, after_blanks, without_own_notes

UNFINISHED_DOCUMENT = "the document is not finished"
DAMAGED_DOCUMENT = "not a JSON document that can be decoded"
_BOM = b"\xef\xbb\xbf"
_CUT_NUMBER = regex(r"invalid number \(byte (\d+)\)")
_ESCAPE = regex(
    rb"(?s)\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
)
_STRING_OR_NUMBER = regex(rb'(?s)"(?:[^"\\]|\\.)*"|(?P<odd>-?\b(?:NaN|Infinity)\b)')
_NO_CONTROLS = bytes(max(byte, 32) for byte in range(256))  # blanks outside of strings may be any blank
_Failures = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


@runtime_checkable
class Piecemeal(Protocol):
    """A reading that can also read one piece of its file alone: the range of one of its events."""

    def piece(self, record: Record) -> Iterable[Reading]: ...


def read_document(reading: Feedable, raw: bytes) -> list[Reading]:
    """The readings of a whole document."""
    record = _record(raw)
    if not record.raw or _BOM.startswith(record.raw):
        return []
    readings = _attempt(reading.feed, record)
    if readings is None:
        record = record._replace(raw=mend(record.raw))
        readings = _attempt(reading.feed, record)
    return [_fault(record)] if readings is None else readings


def read_text(reading: Feedable, raw: bytes) -> list[Reading]:
    """The readings of a whole text."""
    return list(reading.feed(Record(0, len(raw), raw))) if raw else []


def read_piece(reading: Piecemeal, record: Record) -> list[Reading]:
    """The readings of one piece of a document or text, alone. Nothing, where it is damaged."""
    readings = _attempt(reading.piece, record)
    if readings is None:
        readings = _attempt(reading.piece, record._replace(raw=mend(record.raw)))
    return readings or []


def items(document: Record, *path: str | int) -> Iterator[Record]:
    """The elements of the list (or the values of the object) that lies at this path in the document, in order. None,
    where there is no such list. Raises msgspec.DecodeError where the bytes are no JSON."""
    text = document.raw.decode("latin-1")  # one character a byte, so that positions are offsets
    try:
        start = _locate(text, after_blanks(text, 0), path)
        for _, begin, end in _members(text, start) if start is not None else ():
            yield Record(document.offset + begin, end - begin, document.raw[begin:end])
    except (json.JSONDecodeError, IndexError) as error:
        raise msgspec.DecodeError(str(error)) from error


def mend(raw: bytes) -> bytes:
    """The same document with what JSON does not allow replaced, byte for byte."""
    text = raw.decode("utf-8", "surrogateescape").encode("utf-8", "replace").translate(_NO_CONTROLS)
    text = _ESCAPE.sub(lambda match: b"\\ufffd" if match["lone"] else match[0], text)
    return _STRING_OR_NUMBER.sub(lambda match: _blanked(match[0]) if match["odd"] else match[0], text)


def _blanked(number: bytes) -> bytes:
    return b"0".ljust(len(number))


def _record(raw: bytes) -> Record:
    body = raw.removeprefix(_BOM)
    skipped = len(raw) - len(body.lstrip())
    body = body.strip()
    return Record(skipped, len(body), body)


def _attempt(read: Callable[[Record], Iterable[Reading]], record: Record) -> list[Reading] | None:
    try:
        return list(read(record._replace(raw=without_own_notes(record.raw))))
    except _Failures:
        return None


def _fault(record: Record) -> Problem:
    is_cut = _is_cut(record.raw)
    reason = UNFINISHED_DOCUMENT if is_cut else DAMAGED_DOCUMENT
    return Problem(offset=record.offset, length=record.length, reason=reason, is_passing=is_cut)


def _is_cut(raw: bytes) -> bool:
    """Whether all is well up to the end of the bytes."""
    try:
        msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        place = _CUT_NUMBER.search(str(error))
        is_cut_number = place is not None and int(place[1]) >= len(raw)
        return bool(raw.strip()) and (is_cut_number or "truncated" in str(error))
    except (UnicodeDecodeError, RecursionError):
        return False
    return False


def _locate(text: str, at: int, path: tuple[str | int, ...]) -> int | None:
    """Where the value at the path begins. Of equal names the last counts, as everywhere in JSON."""
    for wanted in path:
        places = [begin for name, begin, _ in _members(text, at) if name == wanted]
        if not places:
            return None
        at = places[-1]
    return at


def _members(text: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """The members of the object or list that begins here: name or number, begin, end."""
    opening = text[at]
    if opening not in "{[":
        return
    closing = "}" if opening == "{" else "]"
    at, number = after_blanks(text, at + 1), 0
    while text[at] != closing:
        name: str | int = number
        if opening == "{":
            name, at = _name(text, at)
        begin = at
        at = DECODER.raw_decode(text, begin)[1]
        yield name, begin, at
        at, number = after_blanks(text, at), number + 1
        if text[at] == ",":
            at = after_blanks(text, at + 1)
        elif text[at] != closing:
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)


def _name(text: str, at: int) -> tuple[str, int]:
    """A name in an object, and where its value begins."""
    is_string = text[at] == '"'
    name, at = DECODER.raw_decode(text, at)
    at = after_blanks(text, at)
    if not is_string or text[at] != ":":
        raise json.JSONDecodeError("Expecting a name", text, at)
    return name.encode("latin-1", "replace").decode("utf-8", "replace"), after_blanks(text, at + 1)
