"""Ties Gemini CLI to us: hooks and the MCP server in the user's settings. Its hooks count time in milliseconds.

Also reads from the settings how long transcripts are kept: `general.sessionRetention.maxAge`, unless that is switched
off.
"""

from collections.abc import Mapping
from typing import Any

from afterwit.agents.plugins import ABOUT, Files, Plugin
from afterwit.agents.registry import RetentionPeriod, reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import NAME, server_entry
from afterwit.model.text import regex

_AGE = regex(r"(\d{1,6})([hdwm])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}
REACH = reach_of("gemini")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("GEMINI_CLI_HOME", "") / ".gemini"
    hooks = REACH.groups(at, per_second=1000)
    return REACH.integration(at, JsonFile(home / "settings.json", hooks=hooks, server=server_entry(at)))


def keeping(settings: Mapping[str, Any]) -> RetentionPeriod | None:
    general = settings.get("general")
    wanted = general.get("sessionRetention") if isinstance(general, dict) else None
    if not isinstance(wanted, dict):
        return None
    if wanted.get("enabled") is False:
        return RetentionPeriod(None, "settings.json")
    age = _AGE.fullmatch(str(wanted.get("maxAge", "")))
    return RetentionPeriod(int(age[1]) * _HOURS[age[2]] / 24, "settings.json") if age else None


def plugin(version: str) -> Files:
    """An extension."""
    place = "gemini/afterwit"
    install = "```\ngemini extensions install PATH/plugins/gemini/afterwit\n```"
    ours = Plugin("Gemini CLI", REACH, "${extensionPath}", install, per_second=1000)
    about = {"name": NAME, "version": version, "description": ABOUT, "mcpServers": {NAME: ours.server()}}
    yield f"{place}/gemini-extension.json", about
    yield from ours.files(place)
