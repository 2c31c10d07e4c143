"""Ties Codex to us: hooks in a file beside its settings, and the MCP server in the settings.

Codex runs a hook only after the user has trusted it there. That consent is the user's: it is asked for, never written.
"""

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.hooks import Reach
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import server_entry
from afterwit.edits.toml_file import TomlFile

REACH = Reach(
    "codex",
    {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before",
        "PostToolUse": "after",  # failed commands too
        "SessionEnd": "end",
    },
)
TRUST = (
    "Codex skips new and changed hooks until you trust them. Start `codex`: it says that hooks need review; look at"
    " those of afterwit and trust them. `/hooks` shows them later."
)


def integration(at: Surroundings) -> Integration:
    home = at.home_below("CODEX_HOME", ".codex")
    hooks = JsonFile(home / "hooks.json", hooks=REACH.groups(at))
    return REACH.integration(at, hooks, TomlFile(home / "config.toml", server=server_entry(at)), to_do=(TRUST,))
