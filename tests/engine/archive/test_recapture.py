"""Originals that were lost to the storage budget before anything was read out of them, and come back."""

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.homes import CLAUDE, Silent, claude_records, learned, put, rows, world_of

from afterwit.config.world import World
from afterwit.engine.archive import upkeep
from afterwit.engine.archive.evict import evict
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import dropped, verify
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Eviction, Options, Report
from afterwit.model.settings import RetentionSettings
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

ODD = [{"type": "of-tomorrow", "sessionId": "s1"}]


def capped(home: Path, store: Path, hard_cap_bytes: int) -> World:
    world = world_of(home, store)
    limits = RetentionSettings(raw_soft_cap_bytes=min(1, hard_cap_bytes), raw_hard_cap_bytes=hard_cap_bytes)
    return world._replace(settings=replace(world.settings, retention=limits))


def learned_below(home: Path, store: Path, hard_cap_bytes: int) -> Report:
    return sweep(capped(home, store, hard_cap_bytes), Options(jobs=1), Silent())


def learned_archive(home: Path, store: Path) -> int:
    """What the originals of a home take in the archive."""
    learned(home, store)
    return upkeep.stat(Layout(store)).archive_bytes


def states(store: Path) -> list[tuple[Any, ...]]:
    return rows(store, "SELECT generation, is_live, state, held_bytes > 0 FROM files ORDER BY key, generation")


def advice(world: World) -> dict[str, str]:
    return {one.code: one.what for one in examine(world).findings}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", ODD)
    return tmp_path / "home"


@pytest.fixture
def store(home: Path, tmp_path: Path) -> Path:
    """One whose only original is lost."""
    learned(home, tmp_path / "store")
    done = evict(capped(home, tmp_path / "store", 1), lambda _: True)
    assert isinstance(done, Eviction)
    assert len(done.data_loss) == 1
    return tmp_path / "store"


def test_a_lost_file_that_lies_unchanged_on_the_disk_is_captured_again(home: Path, store: Path) -> None:
    (report,) = sweep(world_of(home, store), Options(jobs=1), Silent()).agents
    assert (report.read, report.unchanged) == (1, 0)
    assert states(store) == [(1, 1, "read", 1)]
    assert dropped(Layout(store)) == []
    assert list(verify(Layout(store))) == []
    (report,) = sweep(world_of(home, store), Options(jobs=1), Silent()).agents
    assert (report.read, report.unchanged) == (0, 1)


def test_a_lost_file_that_would_be_lost_again_at_once_is_left(home: Path, store: Path) -> None:
    for _ in range(2):
        report = learned_below(home, store, 1)
        assert (report.agents[0].read, report.agents[0].unchanged, report.evicted) == (0, 1, None)
    assert states(store) == [(0, 1, "lost", 0)]


def test_its_packed_size_decides_to_the_byte_and_what_came_back_stays(home: Path, store: Path, tmp_path: Path) -> None:
    size = learned_archive(home, tmp_path / "other")
    assert learned_below(home, store, size - 1).agents[0].read == 0
    back = learned_below(home, store, size)
    assert back.agents[0].read == 1
    assert back.evicted is None or back.evicted.data_loss == []
    assert learned_below(home, store, size).agents[0].unchanged == 1
    assert states(store) == [(1, 1, "read", 1)]


def test_of_several_lost_files_no_more_come_back_than_fit_and_the_newest_first(home: Path, store: Path) -> None:
    size = learned_archive(home, store.with_name("other"))
    put(home / CLAUDE / "s2.jsonl", [{"type": "of-tomorrow", "sessionId": "s2"}])
    os.utime(home / CLAUDE / "s2.jsonl", ns=(1, 1 << 61))
    assert learned_below(home, store, 1).evicted is not None
    back = learned_below(home, store, size + size // 2)
    assert (back.agents[0].read, back.agents[0].unchanged) == (1, 1)
    assert [Path(one.path).name for one in dropped(Layout(store))] == ["s1.jsonl"]


def test_a_rebuild_between_changes_nothing_of_it(home: Path, store: Path) -> None:
    rebuild(world_of(home, store), Silent())
    assert learned_below(home, store, 1).agents[0].read == 0
    learned(home, store)
    assert states(store) == [(1, 1, "read", 1)]


def test_a_dry_run_counts_it_and_leaves_it(home: Path, store: Path) -> None:
    rehearsal = sweep(world_of(home, store), Options(jobs=1, is_dry_run=True), Silent())
    assert rehearsal.agents[0].read == 1
    assert states(store) == [(0, 1, "lost", 0)]


def test_a_lost_file_of_which_a_session_is_known_stays_as_it_is(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / CLAUDE / "s1.jsonl", claude_records("s1"))
    learned(home, store)
    with open_store(Layout(store)) as one:
        one.db.execute("UPDATE sessions SET is_digested = 0")
    evict(capped(home, store, 1), lambda _: True)
    assert states(store) == [(0, 1, "lost", 0)]
    assert sweep(world_of(home, store), Options(jobs=1), Silent()).agents[0].unchanged == 1


def test_doctor_does_not_send_a_lost_file_to_a_rebuild(home: Path, store: Path) -> None:
    small, large = advice(capped(home, store, 1)), advice(world_of(home, store))
    assert "Raise raw_hard_cap_bytes" in small["data-loss"]
    assert "Run `afterwit learn`: there is room now" in large["data-loss"]
    assert set(small) >= {"reader-blind"}
    assert all("store rebuild" not in what for what in (*small.values(), *large.values()))
    assert "run `afterwit learn`" in small["reader-blind"]
