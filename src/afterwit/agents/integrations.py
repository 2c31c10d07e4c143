"""What ties each agent to us: one function for each, with the name of its package, that says which files get what.

Most agents have hooks and take an MCP server. Those without hooks read a file of ours, or a part of one of theirs. What
an agent's hooks can do is told by its description. Loaded only where somebody connects: the edits are slow to load.
"""

import json
from pprint import pformat
from typing import Any

from afterwit.agents.installing import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import MARK, NAME, SECONDS, Reach, backed_server_entry, own_words, script, server_entry
from afterwit.edits.own_text import MarkedBlock, OwnFile
from afterwit.edits.toml_file import TomlFile
from afterwit.edits.yaml_file import YamlFile
from afterwit.model.memory_entry import TOOL_DESCRIPTION, TOOL_SCHEMA

_CODEX_TRUST = (
    "Codex skips new and changed hooks until you trust them. Start `codex`: it says that hooks need review; look at"
    " those of afterwit and trust them. `/hooks` shows them later."
)
_OPENHANDS_PROJECTS = "In a project with a file .openhands/hooks.json of its own, OpenHands uses that one alone."
HERMES_MEMORY: dict[str, Any] = {
    "name": f"{NAME}_memory",
    "description": TOOL_DESCRIPTION,
    "parameters": dict(TOOL_SCHEMA),
}
_HERMES_MANIFEST = f"# {MARK}\nname: {NAME}\nversion: 1.0.0\ndescription: Notes from past sessions\n"
_CURSOR_HEAD = "---\ndescription: Notes from past sessions\nalwaysApply: true\n---\n"


def claude_code(at: Surroundings) -> Integration:
    """Hooks in the user's settings, and the MCP server for all of the user's projects."""
    reach, home = reach_of("claude-code"), at.home_below("CLAUDE_CONFIG_DIR", ".claude")
    is_moved = bool(at.environ.get("CLAUDE_CONFIG_DIR", "").strip())
    settings = JsonFile(home / "settings.json", hooks=reach.groups(at))
    state = (home if is_moved else at.user_home) / ".claude.json"
    return reach.integration(at, settings, JsonFile(state, server={"type": "stdio", **server_entry(at)}))


def codex(at: Surroundings) -> Integration:
    """Hooks in a file beside its settings, and the MCP server in the settings. Codex runs a hook only after the user
    has trusted it there. That consent is the user's: it is asked for, never written."""
    reach, home = reach_of("codex"), at.home_below("CODEX_HOME", ".codex")
    hooks = JsonFile(home / "hooks.json", hooks=reach.groups(at))
    return reach.integration(at, hooks, TomlFile(home / "config.toml", server=server_entry(at)), to_do=(_CODEX_TRUST,))


def gemini(at: Surroundings) -> Integration:
    """Hooks and the MCP server in the user's settings. Its hooks count time in milliseconds."""
    reach, home = reach_of("gemini"), at.home_below("GEMINI_CLI_HOME", "") / ".gemini"
    hooks = reach.groups(at, per_second=1000)
    return reach.integration(at, JsonFile(home / "settings.json", hooks=hooks, server=server_entry(at)))


def qwen(at: Surroundings) -> Integration:
    """Hooks (with Claude Code's names) and the MCP server in the user's settings. Its hooks count time in milliseconds;
    newer versions count in seconds, and read 1,000 and more as milliseconds still. It tells the end of a session only
    where somebody sits before it, so the end of a turn counts too."""
    reach, settings = reach_of("qwen"), at.home_below("QWEN_HOME", ".qwen") / "settings.json"
    return reach.integration(at, JsonFile(settings, hooks=reach.groups(at, per_second=1000), server=server_entry(at)))


def kimi_code(at: Surroundings) -> Integration:
    """Hooks in its settings, and the MCP server in its list. Only a prompt's hook can say something to its model, so
    the start of a session speaks at the first prompt. It tells the end of a session only where somebody sits before
    it, so the end of a turn counts too."""
    reach, home = reach_of("kimi-code"), at.home_below("KIMI_CODE_HOME", ".kimi-code")
    hooks = [
        {"event": own, "command": reach.command(at, ours), "timeout": SECONDS[ours]}
        for own, ours in reach.used(at).items()
    ]
    servers = JsonFile(home / "mcp.json", server=server_entry(at))
    return reach.integration(at, TomlFile(home / "config.toml", hooks=hooks), servers)


def openhands(at: Surroundings) -> Integration:
    """Hooks in the user's folder, and the MCP server in its list. Only a prompt's hook can say something to its model,
    so the start of a session speaks at the first prompt. It waits for a server that does not start, hence the
    stand-in."""
    reach, home = reach_of("openhands"), at.user_home / ".openhands"
    hooks = JsonFile(home / "hooks.json", hooks=reach.groups(at, matcher="*"))
    servers = JsonFile(home / "mcp.json", server=backed_server_entry(at))
    return reach.integration(at, hooks, servers, to_do=(_OPENHANDS_PROJECTS,))


def copilot(at: Surroundings) -> Integration:
    """A hook file of our own in the user's folder, and the MCP server in its list."""
    reach, home = reach_of("copilot"), at.home_below("COPILOT_HOME", ".copilot")
    shell, command = ("powershell", reach.powershell_command) if at.platform == "win32" else ("bash", reach.command)
    hooks = {
        own: [{"type": "command", shell: command(at, ours), "timeoutSec": SECONDS[ours]}]
        for own, ours in reach.used(at).items()
    }
    content = json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"
    servers = JsonFile(home / "mcp-config.json", server={"type": "local", **server_entry(at), "tools": ["*"]})
    return reach.integration(at, OwnFile(home / "hooks" / "afterwit.json", content), servers)


def cline_cli(at: Surroundings) -> Integration:
    """One script for each event, because that is what it runs (on Windows it runs none), and the MCP server in its
    list. A refusal would end its whole run, and nothing is said before its first action: that is left out."""
    reach, home = reach_of("cline-cli"), at.home_below("CLINE_DIR", ".cline")
    used = {} if at.platform == "win32" else reach.used(at)
    scripts = [
        OwnFile(home / "hooks" / own, f"#!/bin/sh\n# {MARK}\n{reach.command(at, ours)}\n", is_executable=True)
        for own, ours in used.items()
    ]
    server = {**server_entry(at), "disabled": False, "autoApprove": []}
    servers = JsonFile(home / "data" / "settings" / "cline_mcp_settings.json", server=server)
    return reach.integration(at, *scripts, servers)


def hermes(at: Surroundings) -> Integration:
    """A plugin in its folder, and in its settings the plugin's name and the MCP server. A plugin, not shell hooks: only
    a plugin can say something after an action, and bring a tool for the user's memory. The tool has a name of its own,
    because Hermes has a `memory` already."""
    reach, default = reach_of("hermes"), "AppData/Local/hermes" if at.platform == "win32" else ".hermes"
    home = at.home_below("HERMES_HOME", default)
    plugin = home / "plugins" / NAME
    return reach.integration(
        at,
        OwnFile(plugin / "plugin.yaml", _HERMES_MANIFEST),
        OwnFile(plugin / "__init__.py", _hermes_plugin(reach, at)),
        YamlFile(home / "config.yaml", items={("plugins", "enabled"): NAME}, server=server_entry(at)),
    )


def _hermes_plugin(reach: Reach, at: Surroundings) -> str:
    text = script("afterwit.agents.hermes", "plugin.py.txt", reach, at)
    words = json.dumps(own_words(at, "memory", "call"))
    text = text.replace("__PROGRAM__", json.dumps(at.hook[0])).replace("__MEMORY__", words)
    return text.replace("__TOOL__", pformat(HERMES_MEMORY, width=110, sort_dicts=False))


def opencode(at: Surroundings) -> Integration:
    """A plugin file in the user's folder, and the MCP server in the user's settings: in the file that is there, of the
    two that OpenCode reads."""
    reach, home = reach_of("opencode"), at.home_below("XDG_CONFIG_HOME", ".config") / "opencode"
    plugin = OwnFile(home / "plugins" / "afterwit.js", script("afterwit.agents.opencode", "plugin.js", reach, at))
    server = {"type": "local", "command": list(at.server), "enabled": True}
    if at.store:
        server["environment"] = dict(at.store)
    commented = home / "opencode.jsonc"
    settings = commented if at.exists(commented) else home / "opencode.json"
    return reach.integration(at, plugin, JsonFile(settings, server=server, server_at=("mcp", "afterwit")))


def pi(at: Surroundings) -> Integration:
    """An extension file in the user's folder. pi has no MCP."""
    reach, home = reach_of("pi"), at.home_below("PI_CODING_AGENT_DIR", ".pi/agent")
    extension = OwnFile(home / "extensions" / "afterwit.ts", script("afterwit.agents.pi", "extension.ts", reach, at))
    return reach.integration(at, extension)


def aider(at: Surroundings) -> Integration:
    """It has no hooks, but reads the files that its settings name, so they name one of ours. The file lies in our own
    data folder and holds what is true everywhere: one file serves all projects."""
    notes = OwnFile(at.notes_file, f"<!-- {MARK} -->\n{at.notes.strip()}\n")
    settings = YamlFile(at.user_home / ".aider.conf.yml", items={("read",): str(at.notes_file)})
    return Integration((notes, settings), ("every session",))


def grok_cli(at: Surroundings) -> Integration:
    """It has no hooks, but reads one file in each project, which gets a marked block."""
    block = MarkedBlock(at.project / ".grok" / "GROK.md", at.notes)
    return Integration((block,), ("every session in this project",))


def cursor(at: Surroundings) -> Integration:
    """A rule of our own in a project, which Cursor always reads, and the MCP server of the user."""
    rule = OwnFile(at.project / ".cursor/rules/afterwit.mdc", f"{_CURSOR_HEAD}<!-- {MARK} -->\n{at.notes.strip()}\n")
    servers = JsonFile(at.user_home / ".cursor" / "mcp.json", server=server_entry(at))
    return Integration((rule, servers), ("every session in this project",))
