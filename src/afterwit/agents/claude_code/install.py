"""Ties Claude Code to us: hooks in the user's settings, the MCP server for all of the user's projects, and a skill.

Also reads from the settings how long transcripts are kept: Claude Code deletes them at its start, by the time of their
last change, after `cleanupPeriodDays` (30 if the setting is absent or unusable). Versions differ about 0: some delete
everything and write nothing, some refuse it.
"""

from collections.abc import Mapping
from typing import Any

from afterwit.agents.plugins import ABOUT, AUTHOR, FILE, TEXT, Files, Plugin, manifest
from afterwit.agents.registry import RetentionPeriod, reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import NAME, server_entry
from afterwit.edits.own_text import OwnFile

REACH = reach_of("claude-code")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("CLAUDE_CONFIG_DIR", ".claude")
    is_moved = bool(at.environ.get("CLAUDE_CONFIG_DIR", "").strip())
    settings = JsonFile(home / "settings.json", hooks=REACH.groups(at))
    state = (home if is_moved else at.user_home) / ".claude.json"
    server = JsonFile(state, server={"type": "stdio", **server_entry(at)})
    return REACH.integration(at, settings, server, OwnFile(home / FILE, TEXT))


def keeping(settings: Mapping[str, Any]) -> RetentionPeriod | None:
    days = settings.get("cleanupPeriodDays")
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 <= days < 1e9:
        return None
    return RetentionPeriod(float(days), "settings.json")


def plugin(version: str) -> Files:
    """A marketplace with one plugin."""
    place = "claude-code/plugins/afterwit"
    ours = Plugin(
        "Claude Code",
        REACH,
        "${CLAUDE_PLUGIN_ROOT}",
        "```\nclaude plugin marketplace add PATH/plugins/claude-code\nclaude plugin install afterwit@afterwit\n```",
    )
    market = {"name": NAME, "owner": AUTHOR, "metadata": {"description": ABOUT}}
    entry = {"name": NAME, "source": "./plugins/afterwit", "description": ABOUT, "version": version}
    yield "claude-code/.claude-plugin/marketplace.json", {**market, "plugins": [entry]}
    yield f"{place}/.claude-plugin/plugin.json", manifest(version)
    yield f"{place}/.mcp.json", {"mcpServers": {NAME: ours.server()}}
    yield from ours.files(place)
