"""Runs a command and measures it as a whole: CPU with its children, wall time, peak memory of all its processes."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_POLL_S = 0.02


class Run(NamedTuple):
    cpu_s: float
    wall_s: float
    peak_mb: float  # the sum of the peaks of all its processes; 0 where the system does not tell
    code: int


def run(command: list[str], environ: Mapping[str, str]) -> Run:
    """Runs it to its end, its output thrown away."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env=dict(environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peaks: dict[int, int] = {}
    while True:
        _note_peaks(process.pid, peaks)
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(_POLL_S)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(usage.ru_utime + usage.ru_stime, wall_s, sum(peaks.values()) / 1024, process.returncode)


def afterwit(home: Path, store: Path, *arguments: str) -> Run:
    """Runs Afterwit on a home of its own."""
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store), "PATH": os.environ.get("PATH", "")}
    return run([sys.executable, "-m", "afterwit", *arguments], environ)


def _note_peaks(pid: int, peaks: dict[int, int]) -> None:
    """The highest resident size so far, in KB, of a process and those below it."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                peaks[pid] = max(peaks.get(pid, 0), int(line.split()[1]))
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        _note_peaks(int(child), peaks)
