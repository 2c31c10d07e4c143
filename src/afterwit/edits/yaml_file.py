"""Our entries in a YAML file that belongs to an agent or its user: items of lists, and our MCP server.

A file that holds JSON, which is YAML too, is edited as JSON. Keys that are empty without us go, unless they were there
before. Pure.
"""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from afterwit.edits import json_text, yaml_text
from afterwit.edits.edits import Part, Presence, UnreadableError
from afterwit.edits.ours import is_server

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
        how = json_text if _is_json(text) else yaml_text
        for keys, value in self.items.items():
            text = how.with_item(text, keys, value)
        return how.with_member(text, self.server_at, self.server) if self.server is not None else text

    def removed(self, text: str, before: str | None = None) -> str:
        if self.presence(text) is Presence.ABSENT:
            return text
        for keys, value in self.items.items():
            if value in self._list(text, keys):
                text = _without_item(text, keys, value)
                for depth in range(len(keys), 0, -1):
                    text = _pruned(text, keys[:depth], before, "[]" if depth == len(keys) else "{}")
        if is_server(self._server(text)):
            text = (json_text.without if _is_json(text) else yaml_text.without_member)(text, self.server_at)
            text = _pruned(text, self.server_at[:-1], before, "{}")
        return "" if text.strip() in ("", "{}") and not before else text

    def _list(self, text: str, keys: Keys) -> list[Any]:
        if _is_json(text):
            node = json_text.find(json_text.parse(text), keys)
            return node.value if node and isinstance(node.value, list) else []
        lines = yaml_text.split(text)
        section = yaml_text.find(lines, keys)
        return [item for _, item in yaml_text.items(lines, section)] if section else []

    def _server(self, text: str) -> Any:
        if _is_json(text):
            node = json_text.find(json_text.parse(text), self.server_at)
            return node.value if node else None
        lines = yaml_text.split(text)
        section = yaml_text.find(lines, self.server_at)
        return yaml_text.member(lines, section) if section else None


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _without_item(text: str, keys: Keys, value: str) -> str:
    if not _is_json(text):
        return yaml_text.without_item(text, keys, value)
    node = json_text.find(json_text.parse(text), keys)
    assert node is not None
    return json_text.without(text, (*keys, node.value.index(value)))


def _pruned(text: str, keys: Keys, before: str | None, empty: str) -> str:
    """Without a key that has nothing left in it, unless it was there before."""
    if _is_json(text):
        node = json_text.find(json_text.parse(text), keys)
        earlier = json_text.find(json_text.parse(before), keys) if before and _is_json(before) else None
        is_gone = node is not None and node.value in ({}, []) and earlier is None
        return json_text.without(text, keys) if is_gone else text
    had = before is not None and not _is_json(before) and yaml_text.find(yaml_text.split(before), keys) is not None
    return yaml_text.emptied(text, keys, keep=empty if had else None)
