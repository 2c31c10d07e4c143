"""When agents delete their own logs: what their descriptions say, and what the settings file makes of it.

Pure: the caller brings the bytes of the settings file and the times of the files. An agent whose description says
nothing is unknown, which is not the same as one that is known to keep everything. In doubt the earlier moment counts:
to capture a log too soon costs nothing.
"""

from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.agents import fields
from afterwit.agents.descriptor import Retention, named
from afterwit.agents.registry import AGENTS

DAY_MS = 86_400_000
_DEFAULT = "default"
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
    configured = _configured(own, settings) if settings and own.configured else None
    return configured or Keeping(own.days, _DEFAULT)


def vanishes_at_ms(agent: str, kept: Keeping | None, path: PurePosixPath, mtime_ms: int) -> int | None:
    """When the agent will delete this file, at its first start after that moment. None: not known, or never."""
    own = _RETENTIONS.get(agent)
    if own is None or kept is None or kept.days is None or path.parts[:1] != (own.folder,):
        return None
    return mtime_ms + round(kept.days * DAY_MS)


def _configured(own: Retention, settings: bytes) -> Keeping | None:
    """What the settings say; None where they say nothing that can be used."""
    stated: Keeping | None = named(own.configured)(fields.decoded_file(settings))
    return stated
