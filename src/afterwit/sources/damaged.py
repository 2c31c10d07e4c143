"""What can still be read of a line that is not one clean JSON object.

Promises: every byte of the line, blanks between pieces aside, lies in exactly one piece. An object that stands at the
start of the line or right behind another is found; one behind damage is found if the line ends behind it, or the next
object or NUL padding follows, which tells it from an object that was nested in the damaged one. A record torn just
before a nested value and one torn just behind it look alike: then the nested object counts as a record, so that no good
record is lost. The work grows linearly with the line, whatever is in it. Leaves the meaning of the objects to others.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

BLANK = " \t\r\n"
_WINDOW = 4096
_CUT_MARGIN = 16  # longer than any literal or escape that the end of a window can cut
_TRIES = 1000  # a torn record needs one or two; only hostile lines need more
_MOST_DIGITS = 300  # Python refuses to convert more than a few thousand
DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_MARK = re.compile(r'["{}\[\]]|\\.', re.DOTALL)


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


def cleaned(piece: bytes) -> bytes | None:
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
            return _Attempt(_balanced_end(text, at), len(text))
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
        nested = _closed_at(text, at, stop)
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


def _closed_at(text: str, at: int, stop: int) -> int | None:
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


def _balanced_end(text: str, at: int) -> int | None:
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
