"""Finds the tables in the text of a TOML file, adds tables at its end and cuts tables out.

A table reaches from its header to its last line with something in it: comments and blank lines before the next header
belong to that one. Comments directly above a header belong to the header. Strings over several lines and nested lists
are stepped over, so that nothing inside them passes for a header. Pure.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from afterwit.edits.edits import UnreadableError

_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\n|.', re.DOTALL
)


class Table(NamedTuple):
    """One header and what stands below it."""

    keys: tuple[str, ...]
    start: int
    end: int
    value: Mapping[str, Any]


def data(text: str) -> dict[str, Any]:
    """What the document says. Raises UnreadableError, with the line, on what is no TOML."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(f"it is no TOML: {error}") from error


def tables(text: str) -> list[Table]:
    """All tables with a header, in order."""
    starts = list(_headers(text))
    return [_table(text, start, end) for start, end in pairwise([*starts, len(text)])]


def with_table(text: str, header: str, values: Mapping[str, Any], comment: str) -> str:
    """Puts a table behind everything else. Raises UnreadableError where the document does not allow it there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"# {comment}", header, *(f"{key} = {written(value)}" for key, value in values.items())]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    changed = text + gap + newline.join(lines) + newline
    try:
        data(changed)
    except UnreadableError as error:
        raise UnreadableError(f"{header} cannot be added beside what is there ({error})") from error
    return changed


def without_table(text: str, table: Table) -> str:
    """Cuts a table out, with our comment directly above it and the blank line before that."""
    head, rest = text[: _above(text, table.start)], text[table.end :]
    return head + rest if head else rest.lstrip("\r\n")


def written(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {written(item)}" for key, item in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(written(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _headers(text: str) -> Iterator[int]:
    """Where a header begins: a bracket that opens a line outside of every value."""
    depth, is_at_start, is_header = 0, True, False
    for piece in _PIECE.finditer(text):
        what = piece[0]
        if what == "\n":
            is_at_start, is_header = depth == 0, False
            continue
        if what in "[{":
            if is_at_start and what == "[":
                yield piece.start()
                is_header = True
            elif not is_header:
                depth += 1
        elif what in "]}" and not is_header:
            depth -= 1
        if not what.isspace():
            is_at_start = False


def _table(text: str, start: int, limit: int) -> Table:
    """The keys are those of the only way down through the table alone, read as a document of its own."""
    header = text[start:].split("\n", 1)[0].rstrip("\r")
    end = limit
    while end > start:
        line = text.rfind("\n", start, end - 1) + 1
        if line <= start or (text[line:end].strip() and not text[line:end].lstrip().startswith("#")):
            break
        end = line
    value: Any = data(header)
    keys: list[str] = []
    while value:
        ((key, value),) = value.items()
        value = value[0] if isinstance(value, list) else value
        keys.append(key)
    found: Any = data(text[start:end])
    for key in keys:
        found = found[key][0] if isinstance(found[key], list) else found[key]
    return Table(tuple(keys), start, end, found)


def _above(text: str, start: int) -> int:
    """Where our comment above a header begins, and the blank line before that."""
    above = text[:start]
    found = re.search(r"(?:(?<=\n)\r?\n)?# Written by `afterwit connect`[^\n]*\r?\n\Z", above)
    return found.start() if found else start
