"""Takes our own notes out of a record before a reader sees it, in one place for all agents.

Only the strings that hold a note are changed; what they lose in length stands as blanks behind them, where JSON allows
any number, so that every offset in the record stays where it was. A string that cannot be decoded stays as it is: the
texts that come out of it are cleaned again on their way into a row.
"""

import json
import re

from afterwit.guard.markers import OPENING, without_notes

_SIGN = OPENING.encode()
_DEEPEST = 3  # JSON in a string of JSON, and so on
_BEGINNING = re.compile(r"(?:\x00json:)?\s{0,80}([{[])")  # of JSON in a string; Hermes puts a mark of its own before it
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def without_own_notes(raw: bytes) -> bytes:
    """The same JSON, as long as before, without what we said ourselves."""
    return _without(raw, _DEEPEST) if _SIGN in raw and raw[:1] in (b"{", b"[") else raw


def _without(raw: bytes, depth: int) -> bytes:
    return _STRING.sub(lambda found: _rid(found[0], depth) if _SIGN in found[0] else found[0], raw)


def _rid(literal: bytes, depth: int) -> bytes:
    """One string in the source of JSON."""
    try:
        text = json.loads(literal, strict=False)
        shorter = json.dumps(without_notes(_without_nested(text, depth)), ensure_ascii=False).encode()
    except (ValueError, UnicodeError, RecursionError):
        return literal
    return shorter.ljust(len(literal)) if len(shorter) <= len(literal) else literal


def _without_nested(text: str, depth: int) -> str:
    """A text that is JSON itself, as some clients keep results and databases keep rows, without notes inside it."""
    found = _BEGINNING.match(text) if depth else None
    if found is None:
        return text
    json_text = text[found.start(1) :]
    try:
        json.loads(json_text)
    except (ValueError, RecursionError):
        return text
    return text[: found.start(1)] + _without(json_text.encode(), depth - 1).decode()
