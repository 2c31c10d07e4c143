"""Ties Codex to us: hooks in a file beside its settings, and the MCP server in the settings.

Codex runs a hook only after the user has trusted it there. That consent is the user's: it is asked for, never written.
"""

from afterwit.agents.plugins import SCRIPT, Files, Plugin, manifest
from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import NAME, server_entry
from afterwit.edits.toml_file import TomlFile

REACH = reach_of("codex")
TRUST = (
    "Codex skips new and changed hooks until you trust them. Start `codex`: it says that hooks need review; look at"
    " those of afterwit and trust them. `/hooks` shows them later."
)


def integration(at: Surroundings) -> Integration:
    home = at.home_below("CODEX_HOME", ".codex")
    hooks = JsonFile(home / "hooks.json", hooks=REACH.groups(at))
    return REACH.integration(at, hooks, TomlFile(home / "config.toml", server=server_entry(at)), to_do=(TRUST,))


def plugin(version: str) -> Files:
    """A marketplace with one plugin. The server has the script itself in the place of its path: Codex has no word for
    the plugin's folder there, and a server that ran in that folder would not know the project's."""
    place = "codex/plugins/afterwit"
    ours = Plugin(
        "Codex",
        REACH,
        "${PLUGIN_ROOT}",
        "```\ncodex plugin marketplace add PATH/plugins/codex\ncodex plugin add afterwit@afterwit\n```\n\n"
        "Codex runs hooks only after you have trusted them: it says so when you start it.",
    )
    entry = {
        "name": NAME,
        "source": {"source": "local", "path": "./plugins/afterwit"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    parts = {"hooks": "./hooks/hooks.json", "mcpServers": "./.mcp.json", "skills": "./skills/"}
    server = {"command": "sh", "args": ["-c", SCRIPT, "sh", "afterwit", "mcp"]}
    yield "codex/.agents/plugins/marketplace.json", {"name": NAME, "plugins": [entry]}
    yield f"{place}/.codex-plugin/plugin.json", {**manifest(version), **parts}
    yield f"{place}/.mcp.json", {"mcpServers": {NAME: server}}
    yield from ours.files(place)
