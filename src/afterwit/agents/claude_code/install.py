"""Ties Claude Code to us: hooks in the user's settings, and the MCP server for all of the user's projects."""

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.hooks import Reach
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import server_entry

REACH = Reach(
    "claude-code",
    {
        "SessionStart": "start",  # also after a compaction, which its payload says
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before",
        "PostToolUse": "after",
        "PostToolUseFailure": "after",
        "SessionEnd": "end",
    },
)


def integration(at: Surroundings) -> Integration:
    home = at.home_below("CLAUDE_CONFIG_DIR", ".claude")
    is_moved = bool(at.environ.get("CLAUDE_CONFIG_DIR", "").strip())
    settings = JsonFile(home / "settings.json", hooks=REACH.groups(at))
    state = (home if is_moved else at.user_home) / ".claude.json"
    return REACH.integration(at, settings, JsonFile(state, server={"type": "stdio", **server_entry(at)}))
