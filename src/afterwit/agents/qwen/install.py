"""Ties Qwen Code to us: hooks (with Claude Code's names) and the MCP server in the user's settings."""

from afterwit.integration.edits import Integration, Surroundings
from afterwit.integration.hooks import Reach
from afterwit.integration.json_file import JsonFile
from afterwit.integration.ours import server_entry

REACH = Reach(
    "qwen",
    {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before",
        "PostToolUse": "after",
        "PostToolUseFailure": "after",
        "SessionEnd": "end",
    },
    can_rewrite=False,
)


def integration(at: Surroundings) -> Integration:
    settings = at.home_below("QWEN_HOME", ".qwen") / "settings.json"
    return REACH.integration(at, JsonFile(settings, hooks=REACH.groups(at), server=server_entry(at)))
