"""Backups every day: the table of the settings, and the run that the first `learn` of a day makes of it."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.extras.backup.backups import NO_KEYS, made, snapshots_at
from tests.homes import NOW_MS, Silent

from afterwit.config.world import World
from afterwit.extras.backup.daily import daily_backup, is_due, with_backups
from afterwit.extras.backup.last import note_failure
from afterwit.model.errors import ConfigError
from afterwit.model.settings import BackupSettings

DAY_MS = 86_400_000
DAILY = BackupSettings(target="/media/disk", daily=True)
TEXTS = [
    "",
    "# mine\n[learn]\njobs = 2\n",
    "[backup]\ntarget = 'x'\nkeep_daily = 3\n\n[learn]  # y\njobs = 2\n",
    "a = '''\n[backup]\n'''\n",
    '[learn]\nexclude = ["a",\n  "b"]\n[backup] # here\ndaily = true',
]


@pytest.mark.parametrize("text", TEXTS)
def test_only_the_table_changes(text: str) -> None:
    changed = with_backups(text, DAILY)
    assert tomllib.loads(changed)["backup"] == {"target": "/media/disk", "daily": True}
    without = {name: table for name, table in tomllib.loads(text).items() if name != "backup"}
    assert {name: table for name, table in tomllib.loads(changed).items() if name != "backup"} == without
    assert tomllib.loads(with_backups(changed, BackupSettings())).get("backup", {}) == {}
    assert with_backups(changed, DAILY) == changed
    assert "# mine" in changed or "# mine" not in text


@pytest.mark.parametrize("text", ["backup.daily = true\n", "backup = {daily = true}\n", "no toml"])
def test_what_cannot_be_changed_safely_is_left_to_people(text: str) -> None:
    with pytest.raises(ConfigError, match="by hand"):
        with_backups(text, DAILY)


@given(target=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1), count=st.integers(0, 99))
def test_any_target_can_be_written(target: str, count: int) -> None:
    table = tomllib.loads(with_backups("", BackupSettings(target=target, keep_daily=count)))["backup"]
    assert (table["target"], table.get("keep_daily", 7)) == (target, count)


def daily(world: World, folder: Path, **settings: object) -> World:
    from msgspec.structs import replace

    wanted = replace(BackupSettings(target=str(folder), daily=True), **settings)
    return world._replace(settings=replace(world.settings, backup=wanted))


def test_the_first_run_of_a_day_makes_a_backup(world: World, tmp_path: Path) -> None:
    assert not is_due(world)
    wanted = daily(world, tmp_path / "backup")
    assert is_due(wanted)
    daily_backup(wanted, Silent())
    assert not is_due(wanted)
    tomorrow = wanted._replace(now_ms=NOW_MS + DAY_MS)
    assert is_due(tomorrow)
    note_failure(world.layout, "x", "no route", tomorrow.now_ms)
    assert not is_due(tomorrow._replace(now_ms=tomorrow.now_ms + 60_000))
    assert is_due(tomorrow._replace(now_ms=tomorrow.now_ms + 2 * 3_600_000))


def test_it_prunes_if_it_is_set_to(world: World, tmp_path: Path) -> None:
    for day in range(4):
        made(world, tmp_path / "backup", NO_KEYS, NOW_MS - (9 - day) * DAY_MS)
    kept = {"keep_daily": 2, "keep_weekly": 0, "keep_monthly": 0}
    daily_backup(daily(world, tmp_path / "backup", **kept), Silent())
    assert len(snapshots_at(tmp_path / "backup")) == 5
    done = daily_backup(daily(world, tmp_path / "backup", prune=True, **kept)._replace(now_ms=NOW_MS + 1), Silent())
    assert done.pruned is not None
    assert (done.pruned.removed, len(snapshots_at(tmp_path / "backup"))) == (4, 2)
