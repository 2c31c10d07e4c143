"""Killed processes, full disks, many runs at once: nothing acknowledged is lost, and a rerun gives the same store."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.killed_runs import LEARN, environment, killed_and_completed, run
from tests.homes import CLAUDE, claude_records, hash_of, learned, lines, mixed_home, put, rows
from tests.thoroughness import IS_WHOLE

from afterwit.engine.archive.upkeep import verify
from afterwit.store.layout import Layout

SLOW = pytest.mark.slow
COMMAND = (sys.executable, "-m", "afterwit", *LEARN)
RUNS = 50


def prepared(folder: Path, name: str) -> tuple[Path, Path]:
    """A home of which a part was learned before: new files, an append, a rewritten file."""
    home, store = mixed_home(folder / f"home{name}"), folder / f"store{name}"
    learned(home, store)
    first, second = sorted((home / CLAUDE).glob("*.jsonl"))
    with first.open("ab") as file:
        file.write(lines(claude_records("s1", 4)[-5:]))
    second.write_bytes(lines([{"type": "mode", "mode": "normal"}]) + second.read_bytes())
    put(home / CLAUDE / "s7.jsonl", claude_records("s7", 2))
    return home, store


def test_a_run_killed_at_any_step_is_completed_by_the_next(tmp_path: Path) -> None:
    home, store = prepared(tmp_path, "-whole")
    assert run(home, store).returncode == 0
    expected = hash_of(store)
    steps: set[str] = set()
    for step, completed in killed_and_completed(lambda name: prepared(tmp_path, name)):
        assert hash_of(completed) == expected, step
        steps.add(step)
    assert steps
    assert not IS_WHOLE or steps >= {
        "frames are in the archive, not flushed",
        "rows and cursor are written, not committed",
        "frames are durable in the archive",
        "a batch is about to be committed",
        "a batch is committed",
        "an archive object without rows is removed",
    }


@pytest.mark.slow
def test_fifty_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    home, store = mixed_home(tmp_path / "home"), tmp_path / "store"
    learned(home, tmp_path / "alone")
    surroundings = environment(home, store)
    started = [
        subprocess.Popen(COMMAND, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(RUNS)
    ]
    said = [process.communicate(timeout=300)[1] for process in started]
    assert [process.returncode for process in started] == [0] * RUNS, [text for text in said if text][:3]
    assert hash_of(store) == hash_of(tmp_path / "alone")
    assert list(verify(Layout(store))) == []


@pytest.mark.parametrize("limit_bytes", [1 << 16, *(pytest.param(1 << size, marks=SLOW) for size in (14, 17, 18))])
def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path, limit_bytes: int) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(40):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", 30))
    learned(home, tmp_path / "alone")

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    failed = subprocess.run(
        COMMAND,
        env=environment(home, store, PYTHONDONTWRITEBYTECODE="1"),  # or half of a module's code may stay behind
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limited,
    )
    assert failed.returncode == 1
    assert failed.stderr.startswith("afterwit: ")
    assert "Traceback" not in failed.stderr
    assert run(home, store).returncode == 0
    assert hash_of(store) == hash_of(tmp_path / "alone")
    assert list(verify(Layout(store))) == []


@pytest.mark.slow
def test_ctrl_c_leaves_a_consistent_store(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(300):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", 10))
    learned(home, tmp_path / "alone")
    started = subprocess.Popen(COMMAND, env=environment(home, store), stderr=subprocess.PIPE, text=True)
    while started.poll() is None and not list(store.glob("archive/*/*.zst")):
        pass
    started.send_signal(signal.SIGINT)
    said = started.communicate(timeout=60)[1]
    assert started.returncode in (0, 3)
    assert "Traceback" not in said
    assert [finding for finding in verify(Layout(store)) if not finding.is_harmless] == []
    run(home, store)
    assert hash_of(store) == hash_of(tmp_path / "alone")
    assert rows(store, "SELECT count(*) FROM sessions") == [(300,)]


@pytest.mark.parametrize(
    "begun",
    ["archive/*/*.zst", *(pytest.param(name, marks=SLOW) for name in ("", "learn.lock", "afterwit.db", "journal.db"))],
)
def test_ctrl_c_ends_the_workers_too(tmp_path: Path, begun: str) -> None:
    """A terminal sends the signal to the whole group. Nothing may hang or print a traceback, wherever it hits: when the
    store is there, and when each of these files is."""
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(60):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", 80))
    command = (sys.executable, "-m", "afterwit", "learn", "--jobs", "2")
    started = subprocess.Popen(
        command, env=environment(home, store), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while started.poll() is None and not (list(store.glob(begun)) if begun else store.exists()):
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGINT)
    said = started.communicate(timeout=60)[1]
    assert "Traceback" not in said
    assert run(home, store).returncode == 0
    assert rows(store, "SELECT count(*) FROM sessions") == [(60,)]
