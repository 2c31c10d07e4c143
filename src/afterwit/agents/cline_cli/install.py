"""Ties Cline to us: one script for each event, because that is what it runs, and the MCP server in its list.

A refusal would end its whole run, and nothing is said before its first action: that is left out.
"""

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import MARK, server_entry
from afterwit.edits.own_text import OwnFile

REACH = reach_of("cline-cli")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("CLINE_DIR", ".cline")
    scripts = [OwnFile(home / "hooks" / own, _script(at, ours), is_executable=True) for own, ours in _used(at)]
    server = {**server_entry(at), "disabled": False, "autoApprove": []}
    servers = JsonFile(home / "data" / "settings" / "cline_mcp_settings.json", server=server)
    return REACH.integration(at, *scripts, servers)


def _used(at: Surroundings) -> list[tuple[str, str]]:
    """Cline runs no hooks on Windows."""
    return [] if at.platform == "win32" else list(REACH.used(at).items())


def _script(at: Surroundings, event: str) -> str:
    return f"#!/bin/sh\n# {MARK}\n{REACH.command(at, event)}\n"
