"""When agents delete their own logs: what their descriptions say, and what the settings file makes of it.

Pure: the caller brings the bytes of the settings file and the times of the files. An agent whose description says
nothing is unknown, which is not the same as one that is known to keep everything. In doubt the earlier moment counts:
to capture a log too soon costs nothing.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.agents.registry import AGENTS

DAY_MS = 86_400_000
_DEFAULT = "default"
_AGE = re.compile(r"(\d{1,6})([hdwm])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}
_RETENTIONS = {entry.name: entry.retention for entry in AGENTS if entry.retention}


class Keeping(NamedTuple):
    """How long an agent keeps its transcripts after their last change."""

    days: float | None  # None: it does not delete them
    source: str  # "default", or the name of the settings file


def settings_path(agent: str) -> PurePosixPath | None:
    """The file below the agent's home that can change how long it keeps its logs."""
    own = _RETENTIONS.get(agent)
    return PurePosixPath(own.settings) if own and own.settings else None


def keeping(agent: str, settings: bytes | None = None) -> Keeping | None:
    """How long the agent keeps its transcripts, given the content of its settings file. None: not known."""
    own = _RETENTIONS.get(agent)
    if own is None:
        return None
    stated = _STATED.get(agent) if settings else None
    return (stated and stated(fields.decoded_file(settings))) or Keeping(own.days, _DEFAULT)


def vanishes_at_ms(agent: str, kept: Keeping | None, path: PurePosixPath, mtime_ms: int) -> int | None:
    """When the agent will delete this file, at its first start after that moment. None: not known, or never."""
    own = _RETENTIONS.get(agent)
    if own is None or kept is None or kept.days is None or path.parts[:1] != (own.folder,):
        return None
    return mtime_ms + round(kept.days * DAY_MS)


def _stated_by_claude_code(settings: Mapping[str, Any]) -> Keeping | None:
    """Claude Code deletes transcripts at its start, by the time of their last change. Versions differ about 0: some
    delete everything and write nothing, some refuse it."""
    days = settings.get("cleanupPeriodDays")
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 <= days < 1e9:
        return None
    return Keeping(float(days), "settings.json")


def _stated_by_gemini(settings: Mapping[str, Any]) -> Keeping | None:
    general = settings.get("general")
    wanted = general.get("sessionRetention") if isinstance(general, dict) else None
    if not isinstance(wanted, dict):
        return None
    if wanted.get("enabled") is False:
        return Keeping(None, "settings.json")
    age = _AGE.fullmatch(str(wanted.get("maxAge", "")))
    return Keeping(int(age[1]) * _HOURS[age[2]] / 24, "settings.json") if age else None


_STATED = {"claude-code": _stated_by_claude_code, "gemini": _stated_by_gemini}
