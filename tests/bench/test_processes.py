"""Measuring a command as a whole: its children count, whichever thread started them. No timing is asserted."""

import sys
from pathlib import Path

import pytest
from bench.processes import Memory, Sizes, run

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
_HOLDING = "import time; held = bytearray({size}); held[::4096] = b'1' * len(held[::4096]); time.sleep(0.2)"
_FROM_A_THREAD = f"""
import subprocess, sys, threading
child = [sys.executable, "-c", {_HOLDING.format(size=60_000_000)!r}]
threads = [threading.Thread(target=subprocess.run, args=(child,)) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


@needs_proc
def test_processes_that_a_thread_started_count() -> None:
    done = run([sys.executable, "-c", _FROM_A_THREAD], {})
    assert done.code == 0
    assert done.peak_mb > 120
    assert 120 < done.together_mb <= done.peak_mb


def test_how_a_command_ended_is_told() -> None:
    assert run([sys.executable, "-c", "raise SystemExit(3)"], {}).code == 3


class _Told:
    """What the system says of processes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: dict[int, Sizes] = {}
        self.children: dict[int, list[int]] = {}
        monkeypatch.setattr("bench.processes._sizes", self.sizes.get)
        monkeypatch.setattr("bench.processes._children", lambda pid: self.children.get(pid, []))


def test_peaks_add_up_whenever_they_were_and_sizes_only_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    told, memory = _Told(monkeypatch), Memory()
    told.children = {1: [2]}
    for sizes in ({1: Sizes(50, 50), 2: Sizes(10, 10)}, {1: Sizes(50, 20), 2: Sizes(30, 30)}, {1: Sizes(50, 20)}):
        told.sizes.clear()
        told.sizes.update(sizes)
        memory.look(1)
    assert memory.together() == 60
    assert memory.peaks(0) == 80
    assert memory.peaks(70) == 100  # the system says that one was larger than was seen


def test_a_process_that_has_not_begun_its_own_program_does_not_count_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    told, memory = _Told(monkeypatch), Memory()
    told.children = {1: [2]}
    told.sizes.update({1: Sizes(500, 400), 2: Sizes(500, 400)})
    memory.look(1)
    told.sizes[2] = Sizes(5, 4)
    memory.look(1)
    assert memory.together() == 404
    assert memory.peaks(0) == 505


def test_a_system_that_tells_nothing_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    _Told(monkeypatch)
    memory = Memory()
    memory.look(1)
    assert (memory.peaks(0), memory.together()) == (0, 0)
