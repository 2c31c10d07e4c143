"""Other programs on the same home, in the same run: agentsview's `sync` and ccusage, where they are on the PATH.

Each gets a home of its own through HOME, and no daemon. What is not installed is left out of the table.
"""

import os
import shutil
from pathlib import Path

import msgspec

from bench.processes import Run, afterwit, run

_COMMANDS = {"agentsview": ["sync"], "ccusage": ["daily", "--json", "--offline"]}


class Peer(msgspec.Struct):
    """A first run and one in which nothing had changed."""

    program: str
    first_cpu_s: float
    again_cpu_s: float
    peak_mb: float
    is_fine: bool


def table(home: Path, scratch: Path) -> list[Peer]:
    """Afterwit with one job, and every peer that is installed."""
    store = scratch / "beside-peers"
    found = [_peer("afterwit", *(afterwit(home, store, "learn", "--jobs", "1") for _ in range(2)))]
    environ = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), "AGENTSVIEW_NO_DAEMON": "1"}
    for program, arguments in _COMMANDS.items():
        place = shutil.which(program)
        if place:
            found.append(_peer(program, *(run([place, *arguments], environ) for _ in range(2))))
    return found


def _peer(program: str, first: Run, again: Run) -> Peer:
    return Peer(program, first.cpu_s, again.cpu_s, first.peak_mb, first.code == again.code == 0)
