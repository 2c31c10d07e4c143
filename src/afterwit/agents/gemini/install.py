"""Ties Gemini CLI to us: hooks and the MCP server in the user's settings. Its hooks count time in milliseconds."""

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.hooks import Reach
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import server_entry

REACH = Reach(
    "gemini",
    {
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "BeforeTool": "before",
        "AfterTool": "after",
        "SessionEnd": "end",
    },
)


def integration(at: Surroundings) -> Integration:
    home = at.home_below("GEMINI_CLI_HOME", "") / ".gemini"
    hooks = REACH.groups(at, per_second=1000)
    return REACH.integration(at, JsonFile(home / "settings.json", hooks=hooks, server=server_entry(at)))
