"""Backups every day: the run that the first `learn` of a day makes."""

from pathlib import Path

from tests.extras.backup.backups import NO_KEYS, made, snapshots_at
from tests.homes import NOW_MS, Silent

from afterwit.config.world import World
from afterwit.extras.backup.daily import is_due, make_daily_backup, note_failure
from afterwit.model.settings import BackupSettings

DAY_MS = 86_400_000


def daily(world: World, folder: Path, **settings: object) -> World:
    from msgspec.structs import replace

    wanted = replace(BackupSettings(target=str(folder), daily=True), **settings)
    return world._replace(settings=replace(world.settings, backup=wanted))


def test_the_first_run_of_a_day_makes_a_backup(world: World, tmp_path: Path) -> None:
    assert not is_due(world)
    wanted = daily(world, tmp_path / "backup")
    assert is_due(wanted)
    make_daily_backup(wanted, Silent())
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
    make_daily_backup(daily(world, tmp_path / "backup", **kept), Silent())
    assert len(snapshots_at(tmp_path / "backup")) == 5
    make_daily_backup(daily(world, tmp_path / "backup", prune=True, **kept)._replace(now_ms=NOW_MS + 1), Silent())
    assert len(snapshots_at(tmp_path / "backup")) == 2
