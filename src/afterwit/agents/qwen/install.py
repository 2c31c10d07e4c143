"""Ties Qwen Code to us: hooks (with Claude Code's names) and the MCP server in the user's settings.

Its hooks count time in milliseconds; newer versions count in seconds, and read 1,000 and more as milliseconds still. It
tells the end of a session only where somebody sits before it, so the end of a turn counts too.
"""

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import server_entry

REACH = reach_of("qwen")


def integration(at: Surroundings) -> Integration:
    settings = at.home_below("QWEN_HOME", ".qwen") / "settings.json"
    return REACH.integration(at, JsonFile(settings, hooks=REACH.groups(at, per_second=1000), server=server_entry(at)))
