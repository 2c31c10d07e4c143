"""Our hooks and our MCP server in a TOML file that belongs to an agent or its user.

They are tables of their own at the end of the file. Codex and Kimi Code keep other people's tables when they write such
a file, so ours are known by what they say, never by a closing mark that other tables could slip in front of. Pure.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from afterwit.edits import toml_text
from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.ours import MARK, NAME, is_hook, is_server


class TomlFile(NamedTuple):
    """What we want in one file: `[[hooks]]` tables and `[mcp_servers.afterwit]`."""

    path: PurePath
    hooks: Sequence[Mapping[str, Any]] = ()
    server: Mapping[str, Any] | None = None

    @property
    def is_executable(self) -> bool:
        return False

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
            text = toml_text.with_table(text, "[[hooks]]", hook, MARK)
        if self.server is not None:
            text = toml_text.with_table(text, f"[mcp_servers.{NAME}]", self.server, MARK)
        return text

    def removed(self, text: str, before: str | None = None) -> str:
        while ours := self._ours(text):
            text = toml_text.without_table(text, ours[-1])
            toml_text.data(text)
        return before if before is not None and text.strip() == before.strip() else text

    def _ours(self, text: str) -> list[toml_text.Table]:
        toml_text.data(text)
        found = toml_text.tables(text)
        servers = [table for table in found if table.keys == ("mcp_servers", NAME) and is_server(table.value)]
        below = [table for table in found if servers and table.keys[:2] == ("mcp_servers", NAME)]
        return sorted([*(table for table in found if table.keys == ("hooks",) and is_hook(table.value)), *below])

    def _refuse_unmarked(self, text: str) -> None:
        """A server of our name that is somebody else's, or that stands in a table of all servers."""
        servers = toml_text.data(text).get("mcp_servers")
        found = servers.get(NAME) if isinstance(servers, Mapping) else None
        if self.server is None or found is None:
            return
        if not is_server(found):
            raise UnreadableError(f"mcp_servers.{NAME} is there and is not ours: rename it, then try again")
        if not any(table.keys == ("mcp_servers", NAME) for table in toml_text.tables(text)):
            raise UnreadableError(f"mcp_servers.{NAME} is not a table of its own: remove it there, then try again")
