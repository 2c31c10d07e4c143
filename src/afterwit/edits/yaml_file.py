"""Our entries in a YAML file that belongs to an agent or its user: items of lists, and our MCP server. Pure.

Understands nested block mappings and block lists by their indentation and leaves every line that is not ours as it is.
It is no YAML parser: where an entry would have to go into something written in another way (a list in brackets on one
line, an anchor, tabs, a file that holds JSON), it raises UnreadableError and changes nothing. Keys that are empty
without us go, unless they were there before.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from afterwit.edits.edits import Part, Presence, UnreadableError
from afterwit.edits.ours import is_server
from afterwit.model.text import regex

Keys = tuple[str, ...]


class YamlFile(NamedTuple):
    """What we want in one file."""

    path: PurePath
    items: Mapping[Keys, str] = {}  # list → our entry
    server: Mapping[str, Any] | None = None
    server_at: Keys = ("mcp_servers", "afterwit")
    is_executable: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part.ENTRY,) * len(self.items) + (Part.SERVER,) * (self.server is not None)

    def presence(self, text: str) -> Presence:
        is_there = [value in self._list(text, keys) for keys, value in self.items.items()]
        server = self._server(text)
        if not any(is_there) and not is_server(server):
            return Presence.ABSENT
        is_current = all(is_there) and server == (dict(self.server) if self.server is not None else None)
        return Presence.CURRENT if is_current else Presence.OUTDATED

    def added(self, text: str) -> str:
        if self.presence(text) is Presence.CURRENT:
            return text
        server = self._server(text)
        if self.server is not None and server is not None and not is_server(server):
            raise UnreadableError(
                f"{'.'.join(self.server_at)} is there and was not written by Afterwit: rename it, then try again"
            )
        text = self.removed(text)
        for keys, value in self.items.items():
            text = _with_item(text, keys, value)
        return _with_member(text, self.server_at, self.server) if self.server is not None else text

    def removed(self, text: str, before: str | None = None) -> str:
        if self.presence(text) is Presence.ABSENT:
            return text
        for keys, value in self.items.items():
            if value in self._list(text, keys):
                text = _without_item(text, keys, value)
                for depth in range(len(keys), 0, -1):
                    text = _pruned(text, keys[:depth], before, "[]" if depth == len(keys) else "{}")
        if is_server(self._server(text)):
            text = _without_member(text, self.server_at)
            text = _pruned(text, self.server_at[:-1], before, "{}")
        return "" if text.strip() in ("", "{}") and not before else text

    def _list(self, text: str, keys: Keys) -> list[Any]:
        lines = _split(text)[0]
        section = _find(lines, keys)
        return [item for _, item in _items(lines, section)] if section else []

    def _server(self, text: str) -> Any:
        lines = _split(text)[0]
        section = _find(lines, self.server_at)
        return _member(lines, section) if section else None


def _pruned(text: str, keys: Keys, before: str | None, empty: str) -> str:
    """Without a key that has nothing left in it, unless it was there before."""
    had = before is not None and _find(_split(before)[0], keys) is not None
    return _without_empty(text, keys, keep=empty if had else None)


_KEY = regex(r"""^( *)(?:([A-Za-z0-9_.-]+)|"([^"\\]*)"|'([^']*)')[ ]*:(?:[ ]+([^\n]*?))?[ ]*$""")
_BLANK = regex(r"^\s*(?:#.*)?$")
_EMPTY = regex(r"^(?:\{\s*\}|\[\s*\]|null|~)?(\s*#.*)?$")
_DOCUMENT = regex(r"^(?:---|\.\.\.|%)")


class YamlSection(NamedTuple):
    """A key and its body, as numbers of lines; the body ends with its last line that says something."""

    line: int
    end: int
    indent: int
    inline: str  # what stands behind the colon


def _find(lines: Sequence[str], keys: Sequence[str]) -> YamlSection | None:
    """The section at a path of keys."""
    section: YamlSection | None = None
    for key in keys:
        start, end, indent = (0, len(lines), 0) if section is None else _inside(lines, section)
        section = next((below for name, below in _sections(lines, start, end, indent) if name == key), None)
        if section is None:
            return None
    return section


def _with_member(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """Puts a mapping at a path. Mappings that are missing on the way are made."""
    lines, newline = _split(text)
    return _joined(_with(lines, keys, [f"{key}: {_written(item)}" for key, item in value.items()]), newline)


def _with_item(text: str, keys: Sequence[str], value: str) -> str:
    """Puts a text at the end of a list, which is made if it is missing."""
    lines, newline = _split(text)
    section = _find(lines, keys)
    item = f"- {_written(value)}"
    if section is None:
        return _joined(_with(lines, keys, [item]), newline)
    if section.end == section.line + 1:
        return _joined(_filled(lines, section, [item]), newline)
    start, end, indent = _inside(lines, section)
    if not lines[start].lstrip().startswith("- "):
        raise UnreadableError(f"line {start + 1}: {'.'.join(keys)} should be a list with one entry on each line")
    return _joined([*lines[:end], " " * indent + item, *lines[end:]], newline)


def _without_member(text: str, keys: Sequence[str]) -> str:
    lines, newline = _split(text)
    section = _find(lines, keys)
    return text if section is None else _joined([*lines[: section.line], *lines[section.end :]], newline)


def _without_item(text: str, keys: Sequence[str], value: str) -> str:
    lines, newline = _split(text)
    section = _find(lines, keys)
    gone = {number for number, item in _items(lines, section) if item == value} if section else set()
    return _joined([line for number, line in enumerate(lines) if number not in gone], newline) if gone else text


def _without_empty(text: str, keys: Sequence[str], *, keep: str | None) -> str:
    """Removes a key whose body is gone, or writes it as the empty value `keep`."""
    lines, newline = _split(text)
    section = _find(lines, keys)
    is_bare = section is not None and (not section.inline or section.inline.startswith("#"))
    if section is None or not is_bare or section.end != section.line + 1:
        return text
    head, colon, tail = lines[section.line].partition(":")
    kept = [] if keep is None else [f"{head}{colon} {keep}{tail}"]
    return _joined([*lines[: section.line], *kept, *lines[section.line + 1 :]], newline)


def _items(lines: Sequence[str], section: YamlSection) -> list[tuple[int, str]]:
    """The texts of a list, with their lines."""
    pattern = re.compile(r"^ *- +(.*?)(?:\s+#.*)?$")
    read = [(number, pattern.match(lines[number])) for number in range(section.line + 1, section.end)]
    return [(number, _plain(match[1])) for number, match in read if match]


def _member(lines: Sequence[str], section: YamlSection) -> dict[str, Any]:
    """The single values of a mapping. Lists are read where they are written like JSON."""
    start, end, indent = _inside(lines, section)
    values = {}
    for name, section in _sections(lines, start, end, indent):
        below = _items(lines, section)
        values[name] = [item for _, item in below] if below else _value(section.inline)
    return values


def _with(lines: list[str], keys: Sequence[str], body: Sequence[str]) -> list[str]:
    """Puts a body at a path that is missing, as deep as the path exists."""
    for depth in range(len(keys) - 1, 0, -1):
        section = _find(lines, keys[:depth])
        if section is None:
            continue
        added = _nested(keys[depth:], body)
        if section.end == section.line + 1:
            return _filled(lines, section, added)
        _, end, indent = _inside(lines, section)
        return [*lines[:end], *(" " * indent + line for line in added), *lines[end:]]
    return [*lines, *_nested(keys, body)]


def _nested(keys: Sequence[str], body: Sequence[str]) -> list[str]:
    opened = [f"{'  ' * depth}{key}:" for depth, key in enumerate(keys)]
    return [*opened, *(f"{'  ' * len(keys)}{line}" for line in body)]


def _filled(lines: list[str], section: YamlSection, body: Sequence[str]) -> list[str]:
    """A key that has nothing below it gets a body."""
    empty = _EMPTY.match(section.inline)
    if empty is None:
        raise UnreadableError(f"line {section.line + 1}: its value stands on one line; spread it over several")
    head = lines[section.line][: lines[section.line].index(":") + 1] + (empty[1] or "")
    return [
        *lines[: section.line],
        head,
        *(" " * (section.indent + 2) + line for line in body),
        *lines[section.line + 1 :],
    ]


def _inside(lines: Sequence[str], section: YamlSection) -> tuple[int, int, int]:
    """Where the body of a section is, and how far it is indented."""
    start = next((n for n in range(section.line + 1, section.end) if not _BLANK.match(lines[n])), section.end)
    return start, section.end, _indent(lines[start]) if start < section.end else section.indent + 2


def _sections(lines: Sequence[str], start: int, end: int, indent: int) -> list[tuple[str, YamlSection]]:
    """The keys of one mapping."""
    sections: list[tuple[str, YamlSection]] = []
    for number in range(start, end):
        line = lines[number]
        if _BLANK.match(line) or _indent(line) > indent or (indent == 0 and _DOCUMENT.match(line)):
            continue
        key = _KEY.match(line)
        if key is None:
            if line.lstrip().startswith("- ") or line.strip() == "-":
                continue
            raise UnreadableError(f"line {number + 1}: this is not understood, so nothing is changed")
        name = next(part for part in key.groups()[1:4] if part is not None)
        last = _last(lines, number, end, indent)
        sections.append((name, YamlSection(number, last, indent, key[5] or "")))
    return sections


def _last(lines: Sequence[str], number: int, end: int, indent: int) -> int:
    """The end of the body below a key: lines further in, and items of a list at the key's own column."""
    last = number + 1
    for at in range(number + 1, end):
        line = lines[at]
        if _BLANK.match(line):
            continue
        if _indent(line) < indent or (_indent(line) == indent and not re.match(r" *-(?: |$)", line)):
            break
        last = at + 1
    return last


def _split(text: str) -> tuple[list[str], str]:
    if text.lstrip().startswith("{") and text.strip() != "{}":
        raise UnreadableError("it is written as JSON: spread it over lines of YAML")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines):
        if line.startswith("\t") or re.match(r" *\t", line):
            raise UnreadableError(f"line {number + 1}: it is indented with a tab, which YAML does not allow")
    return lines, newline


def _joined(lines: Sequence[str], newline: str) -> str:
    return "".join(line + newline for line in lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _written(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def _plain(text: str) -> str:
    value = _value(text)
    return value if isinstance(value, str) else text


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text
