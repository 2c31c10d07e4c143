"""When the last backup is old, failed or was never made, somebody hears of it; without any, nobody does."""

from pathlib import Path

from msgspec.structs import replace
from tests.homes import NOW_MS, world_of

from afterwit.config.world import World
from afterwit.extras.backup.daily import note_backup, note_failure
from afterwit.extras.backup.health import backup_findings, backup_state
from afterwit.model.settings import BackupSettings

DAY_MS = 86_400_000


def with_settings(world: World, settings: BackupSettings) -> World:
    return world._replace(settings=replace(world.settings, backup=settings))


def codes(world: World) -> list[str]:
    return [finding.code for finding in backup_findings(world)]


def test_without_backups_nothing_is_said(tmp_path: Path) -> None:
    world = world_of(tmp_path, tmp_path / "store")
    assert (backup_state(world), codes(world)) == (None, [])


def test_an_old_backup_is_a_warning(tmp_path: Path) -> None:
    world = world_of(tmp_path, tmp_path / "store")
    note_backup(world.layout, "/media/disk", "x", NOW_MS - 5 * DAY_MS)
    assert codes(world) == []
    daily = BackupSettings(target="/media/disk", daily=True)
    assert codes(with_settings(world, daily)) == ["backup-old"]
    assert codes(world._replace(now_ms=NOW_MS + 3 * DAY_MS)) == ["backup-old"]
    (finding,) = backup_findings(world._replace(now_ms=NOW_MS + 3 * DAY_MS))
    assert "8 days old (/media/disk)" in finding.what


def test_a_failed_try_and_one_that_is_set_up_and_never_made_are_warnings(tmp_path: Path) -> None:
    world = world_of(tmp_path, tmp_path / "store")
    wanted = with_settings(world, BackupSettings(target="/media/disk", daily=True))
    assert codes(wanted) == ["backup-old"]
    note_failure(world.layout, "/media/disk", "No space left.", NOW_MS)
    assert codes(wanted) == ["backup-failed"]
    note_backup(world.layout, "/media/disk", "x", NOW_MS)
    assert codes(wanted) == []


def test_a_note_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    world = world_of(tmp_path, tmp_path / "store")
    note_backup(world.layout, "/media/disk", "x", NOW_MS)
    world.layout.last_backup.write_bytes(b"{")
    assert backup_state(world) is None
