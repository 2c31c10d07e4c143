"""Our hooks and our MCP server in a TOML file that belongs to an agent or its user, and single values in one that
people write by hand. Pure.

Ours are tables of their own at the end of the file. Codex and Kimi Code keep other people's tables when they write such
a file, so ours are known by what they say, never by a closing mark that other tables could slip in front of. The text
is edited, not written anew: a table reaches from its header to its last line with something in it; comments and blank
lines before the next header belong to that one, and comments directly above a header to the header. Strings over
several lines and nested lists are stepped over, so that nothing inside them passes for a header.

A single value stands below the header of its table; a table that is not there is put at the end. What comes out is read
again: where it does not say what was wanted, because the file is written in a way that is not understood here (inline
tables, dotted keys), nothing is given back but an error.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Any, NamedTuple

from afterwit.edits.edits import Part, Presence, UnreadableError
from afterwit.edits.ours import MARK, NAME, is_hook, is_server
from afterwit.model.text import regex

PIECE = regex(
    r'(?s)"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\n|.'
)


class TomlTable(NamedTuple):
    """One header and what stands below it."""

    keys: tuple[str, ...]
    start: int
    end: int
    value: Mapping[str, Any]


class TomlFile(NamedTuple):
    """What we want in one file: `[[hooks]]` tables and `[mcp_servers.afterwit]`."""

    path: PurePath
    hooks: Sequence[Mapping[str, Any]] = ()
    server: Mapping[str, Any] | None = None
    is_executable: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part.HOOK,) * len(self.hooks) + (Part.SERVER,) * (self.server is not None)

    def presence(self, text: str) -> Presence:
        self._refuse_unmarked(text)
        ours = self._ours(text)
        if not ours:
            return Presence.ABSENT
        hooks = [dict(table.value) for table in ours if table.keys == ("hooks",)]
        servers = [dict(table.value) for table in ours if table.keys != ("hooks",)]
        wanted = [dict(self.server)] if self.server is not None else []
        is_current = hooks == [dict(hook) for hook in self.hooks] and servers == wanted
        return Presence.CURRENT if is_current else Presence.OUTDATED

    def added(self, text: str) -> str:
        if self.presence(text) is Presence.CURRENT:
            return text
        text = self.removed(text)
        for hook in self.hooks:
            text = with_table(text, "[[hooks]]", hook, MARK)
        if self.server is not None:
            text = with_table(text, f"[mcp_servers.{NAME}]", self.server, MARK)
        return text

    def removed(self, text: str, before: str | None = None) -> str:
        while ours := self._ours(text):
            text = without_table(text, ours[-1])
            data(text)
        return before if before is not None and text.strip() == before.strip() else text

    def _ours(self, text: str) -> list[TomlTable]:
        data(text)
        listed = tables(text)
        servers = [table for table in listed if table.keys == ("mcp_servers", NAME) and is_server(table.value)]
        below = [table for table in listed if servers and table.keys[:2] == ("mcp_servers", NAME)]
        return sorted([*(table for table in listed if table.keys == ("hooks",) and is_hook(table.value)), *below])

    def _refuse_unmarked(self, text: str) -> None:
        """A server of our name that is somebody else's, or that stands in a table of all servers."""
        servers = data(text).get("mcp_servers")
        server = servers.get(NAME) if isinstance(servers, Mapping) else None
        if self.server is None or server is None:
            return
        if not is_server(server):
            raise UnreadableError(
                f"mcp_servers.{NAME} is there and was not written by Afterwit: rename it, then try again"
            )
        if not any(table.keys == ("mcp_servers", NAME) for table in tables(text)):
            raise UnreadableError(f"mcp_servers.{NAME} is not a table of its own: remove it there, then try again")


def data(text: str) -> dict[str, Any]:
    """What the document says. Raises UnreadableError, with the line, on what is no TOML."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(f"it is no TOML: {error}") from error


def tables(text: str) -> list[TomlTable]:
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


def without_table(text: str, table: TomlTable) -> str:
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
    for piece in PIECE.finditer(text):
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


def _table(text: str, start: int, limit: int) -> TomlTable:
    """The keys are those of the only way down through the table alone, read as a document of its own."""
    header = text[start:].split("\n", 1)[0].rstrip("\r")
    end = limit
    while end > start:
        line = text.rfind("\n", start, end - 1) + 1
        if line <= start or (text[line:end].strip() and not text[line:end].lstrip().startswith("#")):
            break
        end = line
    below: Any = data(header)
    keys: list[str] = []
    while below:
        ((key, below),) = below.items()
        below = below[0] if isinstance(below, list) else below
        keys.append(key)
    value: Any = data(text[start:end])
    for key in keys:
        value = value[key][0] if isinstance(value[key], list) else value[key]
    return TomlTable(tuple(keys), start, end, value)


def _above(text: str, start: int) -> int:
    """Where our comment above a header begins, and the blank line before that."""
    above = text[:start]
    match = re.search(r"(?:(?<=\n)\r?\n)?# Written by `afterwit connect`[^\n]*\r?\n\Z", above)
    return match.start() if match else start


_BARE = regex(r"[A-Za-z0-9_-]+\Z")
_ASSIGNED = regex(r"(?m)^[ \t]*(?P<key>\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*=[ \t]*")


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
