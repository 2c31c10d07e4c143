"""Evictions that are killed or find the disk full: no original goes without its remains, and the next run ends it."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.archive.test_evict import archived, evicted
from tests.engine.killed_runs import environment, run
from tests.homes import CLAUDE, Silent, claude_records, family_home, hash_of, learned, put, rows, world_of
from tests.processes import COMMAND, run_text
from tests.thoroughness import STRIDE

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import compact, verify
from afterwit.engine.unchanged import nothing_new
from afterwit.store.layout import Layout

EVICT = (sys.executable, "-m", "afterwit", "store", "evict", "--soft-cap", "0", "--yes")
MOST_STEPS = 60


def evict(home: Path, store: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return run_text(COMMAND, EVICT[3:], environment(home, store, **more))


def prepared(folder: Path, name: str) -> tuple[Path, Path]:
    """A session with companions, a subagent, and all of it learned."""
    home, store = family_home(folder / f"home{name}"), folder / f"store{name}"
    learned(home, store)
    return home, store


def is_sound(store: Path) -> bool:
    return [finding.what for finding in verify(Layout(store)) if not finding.is_harmless] == []


@pytest.mark.slow
def test_an_eviction_killed_at_any_step_is_completed_by_the_next(tmp_path: Path) -> None:
    home, store = prepared(tmp_path, "-whole")
    evicted(home, store)
    expected, names = hash_of(store), set(archived(store))
    reached: list[str] = []
    for number in range(1, MOST_STEPS):
        home, store = prepared(tmp_path, str(number))
        killed = evict(home, store, AFTERWIT_KILL_AT_STEP=str(number))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        reached.append(killed.stderr.strip().rpartition(": ")[2])
        assert is_sound(store), reached[-1]
        assert nothing_new(world_of(home, store)) is None, reached[-1]
        evicted(home, store)
        assert (hash_of(store), set(archived(store))) == (expected, names), reached[-1]
        assert list(verify(Layout(store))) == []
    assert {
        "what is about to leave is noted",
        "remains are written beside their original",
        "remains are in the place of their original",
        "frames are durable in the archive",
        "the rows of what left are settled, not committed",
        "an archive object without rows is removed",
    } <= set(reached)


@pytest.mark.parametrize("number", range(2, 8)[::STRIDE])
def test_learning_compacting_or_rebuilding_after_a_killed_eviction_loses_nothing(tmp_path: Path, number: int) -> None:
    home, store = prepared(tmp_path, "")
    before = rows(store, "SELECT native_id, prompts, actions, tokens_output FROM sessions ORDER BY 1")
    assert evict(home, store, AFTERWIT_KILL_AT_STEP=str(number)).returncode == -signal.SIGKILL
    if number % 3 == 0:
        compact(Layout(store))
    elif number % 3 == 1:
        assert rebuild(world_of(home, store), Silent()).faults == []
    else:
        learned(home, store)
    assert rows(store, "SELECT native_id, prompts, actions, tokens_output FROM sessions ORDER BY 1") == before
    learned(home, store)
    assert list(verify(Layout(store))) == []
    assert rows(store, "SELECT count(*) FROM leaving") == [(0,)]
    evicted(home, store)
    assert rows(store, "SELECT count(*) FROM files WHERE held_bytes > 0") == [(0,)]
    assert list(verify(Layout(store))) == []


@pytest.mark.parametrize("number", [8, 11, 14][::STRIDE])
def test_a_learn_killed_while_it_evicts_is_completed_by_the_next(tmp_path: Path, number: int) -> None:
    home, store = family_home(tmp_path / "home"), tmp_path / "store"
    store.mkdir(mode=0o700)
    (store / "config.toml").write_text("[retention]\nraw_soft_cap_bytes = 1\nraw_hard_cap_bytes = 1000000\n")
    killed = run(home, store, AFTERWIT_KILL_AT_STEP=str(number))
    assert killed.returncode in (0, -signal.SIGKILL)
    assert run(home, store).returncode == 0
    assert rows(store, "SELECT count(*) FROM files WHERE held_bytes > 0") == [(0,)]
    assert list(verify(Layout(store))) == []


@pytest.mark.parametrize("limit_bytes", [1 << 9, 1, 1 << 14][::STRIDE])
def test_a_full_disk_stops_an_eviction_and_costs_nothing(tmp_path: Path, limit_bytes: int) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(8):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", 40))
    learned(home, store)
    before = rows(store, "SELECT native_id, prompts, actions, tokens_output FROM sessions ORDER BY 1")

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    failed = subprocess.run(
        EVICT,
        env=environment(home, store, PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limited,
    )
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith("afterwit: ")
    assert "Traceback" not in failed.stderr
    assert is_sound(store)
    assert evict(home, store).returncode == 0
    assert rows(store, "SELECT native_id, prompts, actions, tokens_output FROM sessions ORDER BY 1") == before
    assert rows(store, "SELECT count(*) FROM files WHERE held_bytes > 0") == [(0,)]
    assert list(verify(Layout(store))) == []
