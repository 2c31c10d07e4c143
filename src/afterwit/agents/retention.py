"""When agents delete their own logs: what is known of each, and what its settings file makes of it.

Pure: the caller brings the bytes of the settings file and the times of the files. An agent that is not listed here is
unknown, which is not the same as one that is known to keep everything. In doubt the earlier moment counts: to capture a
log too soon costs nothing.

Claude Code deletes transcripts at its start, by the time of their last change, after `cleanupPeriodDays` (30 if the
setting is absent or unusable). Versions differ about 0: some delete everything and write nothing, some refuse it.
Gemini CLI does the same after `general.sessionRetention.maxAge` unless that is switched off. Codex deletes nothing.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

DAY_MS = 86_400_000
_DEFAULT = "default"
_AGE = re.compile(r"(\d{1,6})([hdwm])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}


class Keeping(NamedTuple):
    """How long an agent keeps its transcripts after their last change."""

    days: float | None  # None: it does not delete them
    source: str  # "default", or the name of the settings file


class _Policy(NamedTuple):
    days: float | None
    folder: str = ""  # below the home: what lies elsewhere stays
    settings: str = ""  # below the home
    configured: Callable[[Mapping[str, Any]], Keeping | None] = lambda _: None


def settings_path(agent: str) -> PurePosixPath | None:
    """The file below the agent's home that can change how long it keeps its logs."""
    policy = _POLICIES.get(agent)
    return PurePosixPath(policy.settings) if policy and policy.settings else None


def keeping(agent: str, settings: bytes | None = None) -> Keeping | None:
    """How long the agent keeps its transcripts, given the content of its settings file. None: not known."""
    policy = _POLICIES.get(agent)
    if policy is None:
        return None
    configured = policy.configured(_decoded(settings)) if settings else None
    return configured or Keeping(policy.days, _DEFAULT)


def vanishes_at_ms(agent: str, kept: Keeping | None, path: PurePosixPath, mtime_ms: int) -> int | None:
    """When the agent will delete this file, at its first start after that moment. None: not known, or never."""
    policy = _POLICIES.get(agent)
    if policy is None or kept is None or kept.days is None or path.parts[:1] != (policy.folder,):
        return None
    return mtime_ms + round(kept.days * DAY_MS)


def _decoded(settings: bytes) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(settings, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _claude(settings: Mapping[str, Any]) -> Keeping | None:
    days = settings.get("cleanupPeriodDays")
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 <= days < 1e9:
        return None
    return Keeping(float(days), "settings.json")


def _gemini(settings: Mapping[str, Any]) -> Keeping | None:
    general = settings.get("general")
    wanted = general.get("sessionRetention") if isinstance(general, dict) else None
    if not isinstance(wanted, dict):
        return None
    if wanted.get("enabled") is False:
        return Keeping(None, "settings.json")
    age = _AGE.fullmatch(str(wanted.get("maxAge", "")))
    return Keeping(int(age[1]) * _HOURS[age[2]] / 24, "settings.json") if age else None


_POLICIES: Mapping[str, _Policy] = {
    "claude-code": _Policy(30, "projects", "settings.json", _claude),
    "gemini": _Policy(30, "tmp", "settings.json", _gemini),
    "codex": _Policy(None),
}
