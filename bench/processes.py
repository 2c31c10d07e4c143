"""Runs a command and measures it as a whole: CPU with its children, wall time, memory of all its processes.

Memory is looked at every 20 ms, and more often at first, in the process and all below it. `peak_mb` adds up the
highest resident sizes of all processes that were seen, whenever each had it; `together_mb` is the highest sum at one
moment. So the first is an upper bound of what was resident at once, but for what lived and died between two looks, and
the second a lower one. Pages that processes share count for each of them in both. The system itself remembers the peak
of the largest process of a command, however short it lived: it is believed where that is more than our own peak, which
commands inherit.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_SHORTEST_S, _LONGEST_S = 0.001, 0.02  # between two looks: a twentieth of the time so far


class Run(NamedTuple):
    cpu_s: float
    wall_s: float
    peak_mb: float = 0.0  # the sum of the peaks of all its processes; needs /proc
    together_mb: float = 0.0  # the peak of their sum
    code: int = 0


class Sizes(NamedTuple):
    """How large a process is, in KB."""

    peak: int
    now: int


class Memory:
    """What was seen of the processes of a command, in KB."""

    def __init__(self) -> None:
        self._peaks: dict[int, int] = {}
        self._together = 0

    def look(self, pid: int) -> None:
        """Notes how large a process and all below it are now, and have been."""
        self._together = max(self._together, self._seen(pid, None))

    def peaks(self, largest: int) -> int:
        """The sum of all peaks, of which the largest is at least this."""
        seen = sorted(self._peaks.values()) or [0]
        return max(sum(seen[:-1]) + max(largest, seen[-1]), self._together)

    def together(self) -> int:
        """The highest sum at one moment."""
        return self._together

    def _seen(self, pid: int, starter: Sizes | None) -> int:
        """The sum of what is there now. A process that is exactly as large as the one that started it still is that
        one, and has not yet begun its own program."""
        sizes = _sizes(pid)
        if sizes is None or sizes == starter:
            return 0
        self._peaks[pid] = max(self._peaks.get(pid, 0), sizes.peak)
        return sizes.now + sum(self._seen(child, sizes) for child in _children(pid))


def run(command: Sequence[str], environ: Mapping[str, str]) -> Run:
    """Runs it to its end, its output thrown away."""
    started = time.perf_counter()
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, env=dict(environ), stdin=nowhere, stdout=nowhere, stderr=nowhere)
    memory = Memory()
    while True:
        memory.look(process.pid)
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(min(_LONGEST_S, max(_SHORTEST_S, (time.perf_counter() - started) / 20)))
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peaks = memory.peaks(usage.ru_maxrss if usage.ru_maxrss > own else 0)
    return Run(usage.ru_utime + usage.ru_stime, wall_s, peaks / 1024, memory.together() / 1024, process.returncode)


def environ_of(home: Path, store: Path) -> dict[str, str]:
    """What Afterwit gets to see where it is measured: a home of its own, and nothing of this machine's."""
    return {"HOME": str(home), "AFTERWIT_HOME": str(store), "PATH": os.environ.get("PATH", "")}


def afterwit(home: Path, store: Path, *arguments: str) -> Run:
    """Runs Afterwit on a home of its own."""
    return run([sys.executable, "-m", "afterwit", *arguments], environ_of(home, store))


def _sizes(pid: int) -> Sizes | None:
    """None where the process is gone, or the system tells nothing."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    told = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    return Sizes(int(told["VmHWM"]), int(told["VmRSS"])) if told else None


def _children(pid: int) -> list[int]:
    """The processes that it started, from whichever of its threads."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except OSError:  # the thread, or all of it, has just ended
        pass
    return found
