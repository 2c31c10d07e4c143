"""Ties Kimi Code to us: hooks in its settings, and the MCP server in its list.

Only a prompt's hook can say something to its model, so the start of a session speaks at the first prompt. It tells the
end of a session only where somebody sits before it, so the end of a turn counts too.
"""

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import SECONDS, server_entry
from afterwit.edits.toml_file import TomlFile

REACH = reach_of("kimi-code")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("KIMI_CODE_HOME", ".kimi-code")
    hooks = [
        {"event": own, "command": REACH.command(at, ours), "timeout": SECONDS[ours]}
        for own, ours in REACH.used(at).items()
    ]
    servers = JsonFile(home / "mcp.json", server=server_entry(at))
    return REACH.integration(at, TomlFile(home / "config.toml", hooks=hooks), servers)
