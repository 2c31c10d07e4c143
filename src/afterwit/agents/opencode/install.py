"""Ties OpenCode to us: a plugin file in the user's folder, and the MCP server in the user's settings."""

from pathlib import PurePath

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import script
from afterwit.edits.own_text import OwnFile

REACH = reach_of("opencode")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("XDG_CONFIG_HOME", ".config") / "opencode"
    plugin = OwnFile(home / "plugins" / "afterwit.js", script("afterwit.agents.opencode", "plugin.js", REACH, at))
    server = {"type": "local", "command": list(at.server), "enabled": True}
    if at.store:
        server["environment"] = dict(at.store)
    settings = JsonFile(_settings(at, home), server=server, server_at=("mcp", "afterwit"))
    return REACH.integration(at, plugin, settings)


def _settings(at: Surroundings, home: PurePath) -> PurePath:
    """The file that is there; OpenCode reads both."""
    commented = home / "opencode.jsonc"
    return commented if at.exists(commented) else home / "opencode.json"
