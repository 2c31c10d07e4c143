"""One value in a TOML file that people write by hand: set, or taken out, with every other line left as it is.

The value stands below the header of its table; a table that is not there is put at the end. What comes out is read
again: where it does not say what was wanted, because the file is written in a way that is not understood here (inline
tables, dotted keys), nothing is given back but an error. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from afterwit.edits.edits import UnreadableError
from afterwit.edits.toml_file import PIECE, data, tables, written

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ASSIGNED = re.compile(r"^[ \t]*(?P<key>\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*=[ \t]*", re.MULTILINE)


class _Place(NamedTuple):
    """Where an assignment stands: its line, its value, and where its last line ends."""

    start: int
    value: int
    value_end: int
    end: int


def with_value(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with this value. Raises UnreadableError where that cannot be done without touching others."""
    line = f"{_key(keys[-1])} = {_lines(value)}"
    begin, end = _extent(text, keys[:-1])
    place = _assignment(text, keys[-1], begin, end)
    if place is not None:
        changed = text[: place.value] + _lines(value) + text[place.value_end :]
    elif begin is not None:
        gap = "" if text[:begin].endswith("\n") or not begin else "\n"
        changed = f"{text[:begin]}{gap}{line}\n{text[begin:]}"
    else:
        before = f"{text.rstrip()}\n\n" if text.strip() else ""
        changed = f"{before}[{'.'.join(map(_key, keys[:-1]))}]\n{line}\n"
    return _checked(changed, _with(data(text), keys, value), line, keys)


def without_value(text: str, keys: Sequence[str]) -> str:
    """The text without this value."""
    place = _assignment(text, keys[-1], *_extent(text, keys[:-1]))
    if place is None:
        raise UnreadableError(f"{'.'.join(map(_key, keys))} is not written as a line of its own: take it out there")
    changed = text[: place.start] + text[place.end :]
    return _checked(changed, _without(data(text), keys), "", keys)


def value_at(table: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """What a parsed file says there; None where it says nothing."""
    value: Any = table
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _checked(changed: str, expected: dict[str, Any], line: str, keys: Sequence[str]) -> str:
    try:
        is_right = data(changed) == expected
    except UnreadableError:
        is_right = False
    if not is_right:
        table = ".".join(map(_key, keys[:-1]))
        raise UnreadableError(f"it cannot be changed from here. Write this into its table [{table}]:\n{line}")
    return changed


def _extent(text: str, keys: Sequence[str]) -> tuple[int | None, int]:
    """Where the lines of a table begin and end; nothing where it has no header."""
    if not keys:
        listed = tables(text)
        return 0, listed[0].start if listed else len(text)
    for table in tables(text):
        if list(table.keys) == list(keys):
            line = text.find("\n", table.start)
            return (line + 1 if line >= 0 else len(text)), max(table.end, line + 1)
    return None, 0


def _assignment(text: str, key: str, begin: int | None, end: int) -> _Place | None:
    """The line that gives the key its value, among the lines of its table."""
    at = begin
    while at is not None and at < end and (match := _ASSIGNED.search(text, at, end)):
        value_end, line_end = _value_end(text, match.end(), end)
        if _plain(match["key"]) == key:
            return _Place(match.start(), match.end(), value_end, line_end)
        at = line_end
    return None


def _value_end(text: str, start: int, limit: int) -> tuple[int, int]:
    """Where a value ends, and where its last line does: after a comment, if there is one."""
    depth, value_end = 0, start
    for piece in PIECE.finditer(text, start, limit):
        what = piece[0]
        if what == "\n" and depth == 0:
            return value_end, piece.end()
        depth += (what in "[{") - (what in "]}") if len(what) == 1 else 0
        if not what.isspace() and not (what.startswith("#") and depth == 0):
            value_end = piece.end()
    return value_end, limit


def _plain(key: str) -> str:
    return next(iter(data(f"{key} = 0"))) if key[:1] in "\"'" else key


def _key(name: str) -> str:
    return name if _BARE.match(name) else written(name)


def _lines(value: Any) -> str:
    """A list of texts one to a line, so that people can read and change it."""
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence) or not value:
        return written(value)
    return "[\n" + "".join(f"  {written(entry)},\n" for entry in value) + "]"


def _with(table: Mapping[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    first, *rest = keys
    if not rest:
        return {**table, first: list(value) if isinstance(value, tuple) else value}
    below = table.get(first, {})
    return {**table, first: _with(below if isinstance(below, Mapping) else {}, rest, value)}


def _without(table: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    first, *rest = keys
    if not rest:
        return {name: value for name, value in table.items() if name != first}
    return {**table, first: _without(table[first], rest)}
