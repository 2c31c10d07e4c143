"""Our hooks and our MCP server in a JSON file that belongs to an agent or its user. Pure.

Comments, trailing commas, indentation and the order of keys belong to whoever wrote them, so the text is edited, not
written anew: a value is put in or cut out at the place that parsing has found. Reads JSON with `//` and `/* */`
comments and trailing commas, as editors and several agents do. A blank text counts as an empty object. Every change is
checked by reading the result again.

Hooks are items of lists, as `{"matcher": …, "hooks": [{"command": …}]}`; a group that somebody has put a hook of their
own into keeps that one. The server is a member with our name; somebody else's server of that name is left alone and is
an error. What is current already is not touched. Lists and objects that are empty without us go, unless they were there
before.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from afterwit.edits.edits import Part, Presence, UnreadableError
from afterwit.edits.ours import is_hook, is_server
from afterwit.model.text import regex

Path = Sequence[str | int]

_SPACE = regex(r"(?s)(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*")
_STRING = regex(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = regex(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEPTH = 100
_BYTE_ORDER_MARK = "\ufeff"


class Node(NamedTuple):
    """A value and where it stands."""

    value: Any
    start: int
    end: int
    children: "tuple[Child, ...]" = ()


class Child(NamedTuple):
    """A member of an object, or an item of a list."""

    name: str | int
    start: int  # of the key, where it has one
    node: Node
    after_comma: int | None  # where the comma behind it ends, if there is one


class _Cut(NamedTuple):
    start: int
    end: int
    text: str = ""


def parse(text: str) -> Node:
    """The whole document. Raises UnreadableError, with the line, on what is no JSON."""
    reading = _Reading(text)
    start = reading.skip(1 if text.startswith(_BYTE_ORDER_MARK) else 0)
    node = reading.value(start, 0)
    if (end := reading.skip(node.end)) != len(text):
        raise reading.fault(end, "something follows the end of the document")
    return node


def data(text: str) -> Any:
    """What the document says."""
    return parse(text).value if text.strip() else {}


def find(node: Node, path: Path) -> Node | None:
    """The value at a path of keys and positions."""
    for name in path:
        named = [child.node for child in node.children if child.name == name]
        if not named:
            return None
        node = named[-1]
    return node


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """Puts a new member into the object above it. Objects that are missing on the way are made."""
    text, root = _opened(text)
    holder, rest = _deepest(root, path)
    if not rest:
        raise UnreadableError(f"{'.'.join(path)} is there already")
    _require(holder, dict, path[: len(path) - len(rest)])
    for name in reversed(rest[1:]):
        value = {name: value}
    return _checked(text, _inserted(text, holder, value, key=rest[0]))


def with_item(text: str, path: Sequence[str], value: Any) -> str:
    """Puts an item at the end of a list, which is made if it is missing."""
    text, root = _opened(text)
    holder = find(root, path)
    if holder is None:
        return with_member(text, path, [value])
    _require(holder, list, path)
    return _checked(text, _inserted(text, holder, value, key=None))


def without(text: str, path: Path) -> str:
    """Cuts a member or an item out."""
    root = parse(text)
    holder = find(root, path[:-1])
    places = [place for place, child in enumerate(holder.children) if child.name == path[-1]] if holder else []
    if holder is None or not places:
        return text
    return _checked(text, _removed(text, holder, places[-1]))


class _Reading:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def fault(self, at: int, what: str) -> UnreadableError:
        return UnreadableError(f"line {self._text.count(chr(10), 0, at) + 1}: {what}")

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEPTH:
            raise self.fault(at, "it is nested too deeply")
        opening = self._text[at : at + 1]
        if opening == "{":
            return self._holder(at, depth, "}")
        if opening == "[":
            return self._holder(at, depth, "]")
        match = (_STRING if opening == '"' else _PLAIN).match(self._text, at)
        if match is None:
            raise self.fault(at, "a value is expected here" if opening else "it ends too early")
        try:
            return Node(json.loads(match[0]), at, match.end())
        except ValueError as error:
            raise self.fault(at, f"{match[0]} is no value") from error

    def _holder(self, start: int, depth: int, closing: str) -> Node:
        children: list[Child] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != closing:
            if children and children[-1].after_comma is None:
                raise self.fault(at, f"a comma or {closing} is expected here" if at < len(self._text) else "it ends")
            name, inner = (self._key(at)) if closing == "}" else (len(children), at)
            node = self.value(inner, depth + 1)
            end = self.skip(node.end)
            comma = end + 1 if self._text[end : end + 1] == "," else None
            children.append(Child(name, at, node, comma))
            at = self.skip(comma or end)
        values = [child.node.value for child in children]
        value = dict(zip((child.name for child in children), values, strict=True)) if closing == "}" else values
        return Node(value, start, at + 1, tuple(children))

    def _key(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self._text, at)
        colon = self.skip(match.end()) if match else at
        if match is None or self._text[colon : colon + 1] != ":":
            raise self.fault(at, "a key in quotes and a colon are expected here")
        try:
            return str(json.loads(match[0])), self.skip(colon + 1)
        except ValueError as error:
            raise self.fault(at, f"{match[0]} is no key") from error


def _opened(text: str) -> tuple[str, Node]:
    if not text.strip():
        text = "{}\n"
    return text, parse(text)


def _deepest(root: Node, path: Sequence[str]) -> tuple[Node, Sequence[str]]:
    """The last value that exists on the way, and the rest of the way."""
    for length in range(len(path), -1, -1):
        node = find(root, path[:length])
        if node is not None:
            return node, path[length:]
    raise AssertionError


def _require(node: Node, kind: type, path: Sequence[str]) -> None:
    if not isinstance(node.value, kind):
        wanted = "an object" if kind is dict else "a list"
        raise UnreadableError(f"{'.'.join(path) or 'the document'} should be {wanted}")


def _inserted(text: str, holder: Node, value: Any, key: str | None) -> list[_Cut]:
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not holder.children:
        return [_first(text, holder, value, name)]
    last = holder.children[-1]
    indent = _own_line_indent(text, last.start)
    if indent is None:
        piece = name + json.dumps(value, ensure_ascii=False)
        at = last.after_comma or last.node.end
        return [_Cut(at, at, f" {piece}," if last.after_comma else f", {piece}")]
    end = len(text[: holder.end - 1].rstrip())
    piece = _newline(text) + indent + name + _pretty(text, value, indent)
    if last.after_comma:
        return [_Cut(end, end, piece + ",")]
    return [_Cut(last.node.end, last.node.end, ","), _Cut(end, end, piece)]


def _first(text: str, holder: Node, value: Any, name: str) -> _Cut:
    """The first child: on lines of its own, behind comments that stand there."""
    outer = _line_indent(text, holder.start)
    indent = outer + _unit(text)
    close = holder.end - 1
    end = len(text[:close].rstrip())
    piece = _newline(text) + indent + name + _pretty(text, value, indent)
    if end == holder.start + 1 or "\n" not in text[end:close]:
        return _Cut(end, close, piece + _newline(text) + outer)
    return _Cut(end, end, piece)


def _removed(text: str, holder: Node, place: int) -> list[_Cut]:
    child = holder.children[place]
    before = holder.children[place - 1] if place else None
    inner = holder.start + 1
    if len(holder.children) == 1 and not (text[inner : child.start] + text[_end(child) : holder.end - 1]).strip():
        return [_Cut(inner, holder.end - 1)]
    gap = (before.after_comma or before.node.end) if before else inner
    start = gap if not text[gap : child.start].strip() else _line_start(text, child, _end(child))
    if child.after_comma or before is None or before.after_comma is None:
        return [_Cut(start, _end(child))]
    return [_Cut(before.after_comma - 1, before.after_comma), _Cut(start, child.node.end)]


def _end(child: Child) -> int:
    return child.after_comma or child.node.end


def _line_start(text: str, child: Child, end: int) -> int:
    """Behind a comment: the line break before the child goes only if another one follows the child."""
    if text[end:].lstrip(" \t\r").startswith("\n"):
        return len(text[: child.start].rstrip())
    return child.start


def _checked(text: str, cuts: list[_Cut]) -> str:
    for cut in reversed(cuts):  # they come in the order of their places
        text = text[: cut.start] + cut.text + text[cut.end :]
    parse(text)
    return text


def _pretty(text: str, value: Any, indent: str) -> str:
    written = json.dumps(value, indent=_unit(text), ensure_ascii=False)
    return written.replace("\n", _newline(text) + indent)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """One step of indentation, as the first indented line has it."""
    match = re.search(r"^([ \t]+)[\"\[{]", text, re.MULTILINE)
    return match[1] if match else "  "


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _own_line_indent(text: str, at: int) -> str | None:
    """The indentation before this place, if nothing else stands before it on its line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line if not line.strip() and "\n" in text[:at] else None


Keys = tuple[str, ...]


class JsonFile(NamedTuple):
    """What we want in one file."""

    path: PurePath
    hooks: Mapping[str, Sequence[Any]] = {}  # event → entries
    hooks_at: Keys = ("hooks",)
    server: Mapping[str, Any] | None = None
    server_at: Keys = ("mcpServers", "afterwit")
    is_executable: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        hooks = sum(len(entries) for entries in self.hooks.values())
        return (Part.HOOK,) * hooks + (Part.SERVER,) * (self.server is not None)

    def presence(self, text: str) -> Presence:
        document = data(text)
        entries_of = {event: _entries(document, (*self.hooks_at, event)) for event in self._events(document)}
        ours = {event: [entry for entry in entries if is_hook(entry)] for event, entries in entries_of.items()}
        wanted = {event: list(entries) for event, entries in self.hooks.items()}
        server = self._server(document)
        if not any(ours.values()) and server is None:
            return Presence.ABSENT
        is_current = {event: entries for event, entries in ours.items() if entries} == wanted and server == self.server
        return Presence.CURRENT if is_current else Presence.OUTDATED

    def added(self, text: str) -> str:
        if self.presence(text) is Presence.CURRENT:
            return text
        self._refuse_foreign(text)
        text = self.removed(text)
        for event, entries in self.hooks.items():
            for entry in entries:
                text = with_item(text, (*self.hooks_at, event), entry)
        return with_member(text, self.server_at, self.server) if self.server is not None else text

    def removed(self, text: str, before: str | None = None) -> str:
        earlier = data(before) if before else {}
        emptied: dict[Keys, None] = {}
        while (place := self._ours(text)) is not None:
            text = without(text, place)
            emptied |= dict.fromkeys(self._holders(place))
        for keys in sorted(emptied, key=len, reverse=True):
            text = _pruned(text, keys, earlier)
        is_ours_alone = bool(emptied) and not before and re.fullmatch(r"\s*\{\s*\}\s*", text)
        return "" if is_ours_alone else text

    def _ours(self, text: str) -> tuple[str | int, ...] | None:
        """The first place of ours that is left. A group goes with its last hook."""
        document = data(text)
        for event in self._events(document):
            for number, entry in enumerate(_entries(document, (*self.hooks_at, event))):
                place: tuple[str | int, ...] = (*self.hooks_at, event, number)
                inner = entry.get("hooks") if isinstance(entry, Mapping) else None
                if not isinstance(inner, list):
                    if is_hook(entry):
                        return place
                    continue
                own = [position for position, hook in enumerate(inner) if is_hook(hook)]
                if own:
                    return place if len(own) == len(inner) else (*place, "hooks", own[0])
        return self.server_at if self._server(document) is not None else None

    def _holders(self, place: tuple[str | int, ...]) -> tuple[Keys, ...]:
        """What may be empty without it, innermost first. The list of an event is a key below the hooks."""
        if place == self.server_at:
            return (self.server_at[:-1],)
        return ((*self.hooks_at, str(place[len(self.hooks_at)])), self.hooks_at)

    def _server(self, document: Any) -> Any:
        value = _at(document, self.server_at)
        return value if is_server(value) else None

    def _refuse_foreign(self, text: str) -> None:
        value = _at(data(text), self.server_at)
        if self.server is not None and value is not None and not is_server(value):
            raise UnreadableError(
                f"{'.'.join(self.server_at)} is there and was not written by Afterwit: rename it, then try again"
            )

    def _events(self, document: Any) -> Iterator[str]:
        table = _at(document, self.hooks_at)
        yield from [name for name, entries in table.items() if isinstance(entries, list)] if _is_map(table) else ()


def _entries(document: Any, keys: Keys) -> list[Any]:
    value = _at(document, keys)
    return value if isinstance(value, list) else []


def _pruned(text: str, keys: Keys, earlier: Any) -> str:
    """Without the list or object at this place, if it is empty and was not there before."""
    node = find(parse(text), keys) if keys else None
    if node is None or node.value not in ({}, []) or _at(earlier, keys) is not None:
        return text
    return without(text, keys)


def _at(document: Any, keys: Keys) -> Any:
    for key in keys:
        document = document.get(key) if _is_map(document) else None
    return document


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)
