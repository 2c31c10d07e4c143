"""Runs of `learn` as processes of their own, and runs that are killed at each of their steps."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from tests import processes
from tests.thoroughness import STRIDE

from afterwit.engine.archive.upkeep import verify
from afterwit.store.layout import Layout

LEARN = ("learn", "--jobs", "1")
MOST_STEPS = 200


def environment(home: Path, store: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "AFTERWIT_HOME": str(store), "PATH": os.environ["PATH"], "NO_COLOR": "1", **more}


def run(home: Path, store: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return processes.run_text(processes.COMMAND, LEARN, environment(home, store, **more))


def killed_and_completed(prepared: Callable[[str], tuple[Path, Path]]) -> Iterator[tuple[str, Path]]:
    """For each step of a run (in the short form, for some): its name, and the store after a run that was killed there
    and one that went on. For each, a home and a store are prepared anew."""
    for number in range(1, MOST_STEPS, STRIDE):
        home, store = prepared(str(number))
        killed = run(home, store, AFTERWIT_KILL_AT_STEP=str(number))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert run(home, store).returncode == 0
        assert [finding.what for finding in verify(Layout(store))] == []
        yield killed.stderr.strip().partition(": ")[2], store
