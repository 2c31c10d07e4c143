"""The floors that figures stand beside: what has to be done to the same files in any case, and nothing else."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from bench.processes import Run, run

_BARE = (sys.executable, "-I", "-c", "pass")


def decode_lines(logs: Sequence[Path]) -> int:
    """Decodes every line of all files once and keeps nothing but their number, without those that are broken."""
    count = 0
    for path in logs:
        with path.open("rb") as file:
            for line in file:
                try:
                    count += orjson.loads(line) is not None
                except orjson.JSONDecodeError:
                    continue
    return count


def stat_files(logs: Sequence[Path]) -> None:
    """Asks once for each file how large it is and when it was changed."""
    for path in logs:
        os.stat(path)  # noqa: PTH116 - the call itself is the floor


def bare_interpreter() -> Run:
    """The interpreter starts and does nothing."""
    return run(_BARE, {})


def timed(work: Callable[[], object]) -> Run:
    """Does something in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Run(time.process_time() - cpu, time.perf_counter() - wall)
