"""Ties the Copilot CLI to us: a hook file of our own in the user's folder, and the MCP server in its list."""

import json

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import SECONDS, server_entry
from afterwit.edits.own_text import OwnFile

REACH = reach_of("copilot")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("COPILOT_HOME", ".copilot")
    shell, command = ("powershell", REACH.powershell_command) if at.platform == "win32" else ("bash", REACH.command)
    hooks = {
        own: [{"type": "command", shell: command(at, ours), "timeoutSec": SECONDS[ours]}]
        for own, ours in REACH.used(at).items()
    }
    content = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"
    server = {"type": "local", **server_entry(at), "tools": ["*"]}
    return REACH.integration(
        at, OwnFile(home / "hooks" / "afterwit.json", content), JsonFile(home / "mcp-config.json", server=server)
    )
