"""Pruning: what the rule keeps stays, the newest whole snapshot stays in any case, and a kill loses nothing more."""

import datetime as dt
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import (
    NO_KEYS,
    age_objects,
    elsewhere,
    learn_more,
    made,
    objects_at,
    refusal,
    restored,
    snapshots_at,
)
from tests.homes import NOW_MS, Silent, hash_of
from tests.processes import COMMAND, run_text

from afterwit.config.calendar import Calendar
from afterwit.config.world import World
from afterwit.extras.backup.look import verify_backup
from afterwit.extras.backup.prune import KeepRule, PrunedBackup, moments_to_keep, prune_backup
from afterwit.model.errors import UsageError

DAY_MS = 86_400_000
CALENDAR = Calendar(NOW_MS, dt.UTC)
ONE_DAY = KeepRule(1, 0, 0)


def later(world: World, days: int) -> World:
    return world._replace(now_ms=NOW_MS + days * DAY_MS)


def pruned(world: World, folder: Path, rule: KeepRule = ONE_DAY, **options: bool) -> PrunedBackup:
    done = prune_backup(world, str(folder), NO_KEYS, rule, lambda _planned: True, **options)
    assert done is not None
    return done


def test_the_last_of_each_day_week_and_month_is_kept() -> None:
    moments = [NOW_MS - number * DAY_MS // 2 for number in range(200)]
    kept = sorted(moments_to_keep(moments, KeepRule(3, 2, 2), CALENDAR), reverse=True)
    days = [dt.datetime.fromtimestamp(at_ms / 1000, dt.UTC).strftime("%a %d %b") for at_ms in kept]
    assert days == ["Thu 28 May", "Wed 27 May", "Tue 26 May", "Sun 24 May", "Thu 30 Apr"]
    assert moments_to_keep(moments, KeepRule(0, 0, 0), CALENDAR) == set()


@given(
    days=st.lists(st.integers(0, 800), max_size=60),
    rule=st.builds(KeepRule, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
)
def test_pruning_again_changes_nothing_and_more_is_never_less(days: list[int], rule: KeepRule) -> None:
    moments = [NOW_MS - day * DAY_MS for day in days]
    kept = moments_to_keep(moments, rule, CALENDAR)
    assert kept <= set(moments)
    assert moments_to_keep(sorted(kept), rule, CALENDAR) == kept
    assert kept <= moments_to_keep(moments, KeepRule(*(count + 1 for count in rule)), CALENDAR)
    assert not any(rule) or not moments or max(moments) in kept


def test_a_dry_run_shows_what_would_go(world: World, tmp_path: Path) -> None:
    for day in range(3):
        made(world, tmp_path / "backup", at_ms=NOW_MS + day * DAY_MS)
    planned = pruned(later(world, 2), tmp_path / "backup", is_dry_run=True)
    assert [snapshot.is_kept for snapshot in planned.snapshots] == [True, False, False]
    assert len(snapshots_at(tmp_path / "backup")) == 3
    no = prune_backup(world, str(tmp_path / "backup"), NO_KEYS, ONE_DAY, lambda _planned: False)
    assert (no, len(snapshots_at(tmp_path / "backup"))) == (None, 3)


def test_objects_go_with_the_last_snapshot_that_needs_them(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    made(world, folder)
    learn_more(world, *(f"more-{number}" for number in range(6)), turns=60)
    made(world, folder, at_ms=NOW_MS + DAY_MS)
    learn_more(world, *(f"further-{number}" for number in range(6)), turns=60)
    made(world, folder, at_ms=NOW_MS + 2 * DAY_MS)
    before = len(objects_at(folder))
    age_objects(folder)
    done = pruned(later(world, 2), folder)
    assert (len(snapshots_at(folder)), len(objects_at(folder))) == (1, before - done.removed_objects)
    assert verify_backup(world, str(folder), NO_KEYS, Silent()).unused_objects == 0
    restored(elsewhere(world, tmp_path / "other"), folder)
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)


def test_the_newest_whole_snapshot_stays_whatever_the_rule_says(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    made(world, folder)
    whole = objects_at(folder)
    learn_more(world, *(f"more-{number}" for number in range(6)), turns=60)
    made(world, folder, at_ms=NOW_MS + DAY_MS)
    min(set(objects_at(folder)) - set(whole)).unlink()
    done = pruned(world, folder)
    assert [(snapshot.is_kept, bool(snapshot.problem)) for snapshot in done.snapshots] == [(False, True), (True, False)]
    assert verify_backup(world, str(folder), NO_KEYS, Silent()).faults == []


def test_where_nothing_is_whole_nothing_is_removed(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    objects_at(tmp_path / "backup")[0].unlink()
    assert "No snapshot" in refusal(lambda: pruned(world, tmp_path / "backup"))
    assert len(snapshots_at(tmp_path / "backup")) == 1
    with pytest.raises(UsageError, match="keeps nothing"):
        pruned(world, tmp_path / "backup", KeepRule(0, 0, 0))


@pytest.mark.slow
def test_a_prune_killed_at_any_step_leaves_whole_snapshots(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    rule = ("--keep-daily", "1", "--keep-weekly", "0", "--keep-monthly", "0")
    command = ("store", "backup", "prune", str(folder), *rule, "--yes")
    reached = 0
    for number in range(1, 20):
        for day in range(3):
            made(world, folder, at_ms=NOW_MS + (3 * number + day) * DAY_MS)
            (folder / "objects/00").mkdir(parents=True, exist_ok=True)
            (folder / "objects/00" / f"00{number:061x}{day}").write_bytes(b"unused")
        age_objects(folder)
        environ = environment(world.user_home, world.layout.root, AFTERWIT_KILL_AT_STEP=str(number))
        killed = run_text(COMMAND, command, environ)
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        reached += 1
        assert verify_backup(world, str(folder), NO_KEYS, Silent()).faults == []
    assert reached >= 4
    assert (len(snapshots_at(folder)), verify_backup(world, str(folder), NO_KEYS, Silent()).unused_objects) == (1, 0)
