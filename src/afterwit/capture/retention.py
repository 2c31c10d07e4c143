"""Which logs their agents will delete, and when: the agents' own settings against the files that are there.

Joins `agents.retention` with the disk. `learn` takes first what vanishes soonest; `doctor` says how much that is.
"""

from collections.abc import Iterable
from pathlib import Path

from afterwit.agents import retention
from afterwit.agents.retention import Keeping
from afterwit.capture.plan import Home, Pending
from afterwit.sources.discovery import Found
from afterwit.store.regular_files import read_regular

_NEVER = 1 << 62
_SETTINGS_BYTES = 1 << 20


def keeping_in(home: Home) -> Keeping | None:
    """How long the agent keeps what lies in this home. None: not known."""
    return retention.keeping(home.agent, _settings(home))


def vanishes_at(home: Home, kept: Keeping | None, found: Found) -> int | None:
    """When the agent will delete this transcript, in milliseconds since 1970. None: not known, or never."""
    return retention.vanishes_at_ms(home.agent, kept, found.path, found.mtime_ns // 1_000_000)


def soonest_first(pending: Iterable[Pending]) -> list[Pending]:
    """The transcripts that their agents will delete soonest, over all agents; then the others, oldest first."""
    kept: dict[Home, Keeping | None] = {}

    def order(one: Pending) -> tuple[int, int, str]:
        if one.home not in kept:
            kept[one.home] = keeping_in(one.home)
        moment = vanishes_at(one.home, kept[one.home], one.unit.transcript)
        found = one.unit.transcript
        return _NEVER if moment is None else moment, found.mtime_ns, str(found.path)

    return sorted(pending, key=order)


def _settings(home: Home) -> bytes | None:
    path = retention.settings_path(home.agent)
    return None if path is None else _content(home.folder / path)


def _content(path: Path) -> bytes | None:
    try:
        return read_regular(path, _SETTINGS_BYTES)
    except OSError:
        return None
