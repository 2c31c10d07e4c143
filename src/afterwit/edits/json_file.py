"""Our hooks and our MCP server in a JSON file that belongs to an agent or its user.

Hooks are items of lists, as `{"matcher": …, "hooks": [{"command": …}]}`; a group that somebody has put a hook of their
own into keeps that one. The server is a member with our name; somebody else's server of that name is left alone and is
an error. What is current already is not touched. Lists and objects that are empty without us go, unless they were there
before. Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from afterwit.edits.edits import Part, Presence, UnreadableError
from afterwit.edits.json_text import data, find, parse, with_item, with_member, without
from afterwit.edits.ours import is_hook, is_server

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
