"""Restoring: into an empty home, over a living store, and back; killed anywhere it is the old store or the new one."""

import shutil
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import (
    NO_KEYS,
    elsewhere,
    flip,
    key_in,
    learn_more,
    made,
    objects_at,
    refusal,
    restored,
    snapshots_at,
)
from tests.homes import NOW_MS, Silent, hash_of
from tests.processes import COMMAND, run_text

from afterwit.config.world import World
from afterwit.engine.archive.upkeep import verify
from afterwit.extras.backup.restore import finish, restore_snapshot, undo
from afterwit.model.errors import BackupError, BusyError, StoreError, StoreFullError
from afterwit.store.store import open_store, readonly_database

MOST_STEPS = 80


def is_sound(world: World) -> bool:
    return [fault.what for fault in verify(world.layout) if not fault.is_harmless] == []


def agreed(_planned: object) -> bool:
    return True


def test_an_encrypted_backup_is_restored_with_its_key(world: World, tmp_path: Path) -> None:
    keys = key_in(tmp_path)
    made(world, tmp_path / "backup", keys)
    other = elsewhere(world, tmp_path / "other")
    done = restored(other, tmp_path / "backup", keys)
    assert (done.set_aside, done.present.is_there) == ("", False)
    assert hash_of(other.layout.root) == hash_of(world.layout.root)
    assert is_sound(other)


def test_learning_goes_on_in_a_restored_store(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    other = elsewhere(world, tmp_path / "other")
    restored(other, tmp_path / "backup")
    learn_more(other, "after")
    learn_more(world, "after")
    assert hash_of(other.layout.root) == hash_of(world.layout.root)
    assert is_sound(other)


def test_an_earlier_snapshot_can_be_chosen(world: World, tmp_path: Path) -> None:
    before, first = hash_of(world.layout.root), made(world, tmp_path / "backup")
    learn_more(world, "later")
    made(world, tmp_path / "backup", at_ms=NOW_MS + 5000)
    other = elsewhere(world, tmp_path / "other")
    assert (
        restored(other, tmp_path / "backup", snapshot=first.snapshot).content_hash == before == hash_of(other[0].root)
    )
    assert "no snapshot begins" in refusal(lambda: restored(other, tmp_path / "backup", snapshot="1999"))
    assert "several snapshots begin" in refusal(lambda: restored(other, tmp_path / "backup", snapshot="20"))


def test_a_living_store_is_not_touched_unless_it_is_to_be_replaced(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    with pytest.raises(BackupError, match=r"There is a store .* --replace .* --to FOLDER"):
        restore_snapshot(world, str(tmp_path / "backup"), NO_KEYS, Silent(), agreed)
    no = restore_snapshot(world, str(tmp_path / "backup"), NO_KEYS, Silent(), lambda _planned: False, may_replace=True)
    assert (no, hash_of(world.layout.root)) == (None, newer)


def test_a_replaced_store_is_set_aside_and_comes_back(world: World, tmp_path: Path) -> None:
    older = hash_of(world.layout.root)
    made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    done = restored(world, tmp_path / "backup")
    assert hash_of(world.layout.root) == older
    assert Path(done.set_aside).is_dir()
    assert is_sound(world)
    undo(world)
    assert (hash_of(world.layout.root), is_sound(world)) == (newer, True)
    undo(world)
    assert (hash_of(world.layout.root), is_sound(world)) == (older, True)


def test_of_two_restores_the_last_is_undone(world: World, tmp_path: Path) -> None:
    older, first = hash_of(world.layout.root), made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer, second = hash_of(world.layout.root), made(world, tmp_path / "backup", at_ms=NOW_MS + 5000)
    restored(world, tmp_path / "backup", snapshot=first.snapshot)
    restored(world, tmp_path / "backup", snapshot=second.snapshot)
    assert hash_of(world.layout.root) == newer
    undo(world)
    assert hash_of(world.layout.root) == older


@pytest.mark.parametrize("is_there", [True, False])
def test_what_a_killed_restore_left_is_no_store_to_put_back(world: World, tmp_path: Path, is_there: bool) -> None:
    """A folder that was made for what is set aside, and got nothing or the empty folders of a store that was none."""
    made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    if is_there:
        restored(world, tmp_path / "backup")
    older = hash_of(world.layout.root)
    empty = world.layout.backups / f"before-restore-{NOW_MS + 10**12:015d}"
    (empty / "archive").mkdir(parents=True)
    if is_there:
        undo(world)
        assert (hash_of(world.layout.root), is_sound(world)) == (newer, True)
        undo(world)
        assert hash_of(world.layout.root) == older
    else:
        assert "no restore to undo" in refusal(lambda: undo(world))
        assert (hash_of(world.layout.root), is_sound(world)) == (newer, True)


@pytest.mark.slow
@pytest.mark.parametrize("is_store_there", [True, False])
def test_after_a_restore_killed_at_any_step_undoing_never_empties_the_store(
    world: World, tmp_path: Path, is_store_there: bool
) -> None:
    made(world, tmp_path / "backup")
    older = hash_of(world.layout.root)
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    restoring = ("store", "backup", "restore", str(tmp_path / "backup"), "--replace", "--yes")
    for number in range(1, MOST_STEPS):
        store = tmp_path / f"store{number}"
        if is_store_there:
            shutil.copytree(world.layout.root, store)
        own = elsewhere(world, store)
        killed = run_text(COMMAND, restoring, environment(world.user_home, store, AFTERWIT_KILL_AT_STEP=str(number)))
        finish(own.layout)
        with suppress(BackupError):
            undo(own)
        assert own.layout.exists() or not is_store_there
        assert not own.layout.exists() or hash_of(store) == (newer if is_store_there else older)
        shutil.rmtree(store)
        if killed.returncode == 0:
            break


@pytest.mark.slow
def test_after_an_undo_killed_at_any_step_both_stores_are_within_reach(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    older = hash_of(world.layout.root)
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    restored(world, tmp_path / "backup")
    undoing = ("store", "backup", "restore", "--undo", "--yes")
    for number in range(1, MOST_STEPS):
        store = shutil.copytree(world.layout.root, tmp_path / f"store{number}")
        own = elsewhere(world, store)
        killed = run_text(COMMAND, undoing, environment(world.user_home, store, AFTERWIT_KILL_AT_STEP=str(number)))
        finish(own.layout)
        reached = {hash_of(store)}
        undo(own._replace(now_ms=NOW_MS - 10**9))  # whatever the clock says
        reached.add(hash_of(store))
        assert reached == {older, newer}
        undo(own._replace(now_ms=NOW_MS - 10**9))
        undo(own)
        assert hash_of(store) in reached
        shutil.rmtree(store)
        if killed.returncode == 0:
            break
    assert number > 3


def test_without_anything_set_aside_there_is_nothing_to_undo(world: World) -> None:
    assert "no restore to undo" in refusal(lambda: undo(world))


def test_a_dry_run_says_what_would_happen_and_changes_nothing(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    done = restore_snapshot(
        world, str(tmp_path / "backup"), NO_KEYS, Silent(), agreed, may_replace=True, is_dry_run=True
    )
    assert done is not None
    assert (done.is_dry_run, done.present.sessions, done.present.content_hash) == (True, done.sessions + 1, newer)
    assert hash_of(world.layout.root) == newer


def test_settings_that_are_there_stay(world: World, tmp_path: Path) -> None:
    (world.layout.root / "config.toml").write_text("[learn]\njobs = 1\n")
    made(world, tmp_path / "backup")
    (world.layout.root / "config.toml").write_text("[learn]\njobs = 2\n")
    done = restored(world, tmp_path / "backup")
    assert (world.layout.root / "config.toml").read_text() == "[learn]\njobs = 2\n"
    assert Path(done.config_beside).read_text() == "[learn]\njobs = 1\n"
    empty = elsewhere(world, tmp_path / "other")
    assert restored(empty, tmp_path / "backup").config_beside == ""
    assert (empty.layout.root / "config.toml").read_text() == "[learn]\njobs = 1\n"


def test_a_damaged_snapshot_changes_nothing(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    flip(objects_at(tmp_path / "backup")[0], 1000)
    assert "is damaged" in refusal(lambda: restored(world, tmp_path / "backup"))
    assert (hash_of(world.layout.root), is_sound(world)) == (newer, True)
    snapshots_at(tmp_path / "backup")[0].unlink()
    assert "no complete snapshot" in refusal(lambda: restored(world, tmp_path / "backup"))


def test_a_damaged_store_can_be_replaced(world: World, tmp_path: Path) -> None:
    before = hash_of(world.layout.root)
    made(world, tmp_path / "backup")
    world.layout.database.write_bytes(b"no database" * 1000)
    world.layout.journal.unlink()
    restored(world, tmp_path / "backup")
    assert (hash_of(world.layout.root), is_sound(world)) == (before, True)


def test_a_store_that_somebody_has_open_is_not_replaced(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(world, tmp_path / "backup")
    before = hash_of(world.layout.root)
    monkeypatch.setattr("afterwit.store.database._WAIT_SECONDS", 0)
    with readonly_database(world.layout) as db:
        db.execute("SELECT count(*) FROM sessions").fetchall()
        with pytest.raises(BusyError, match="Another program"):
            restored(world, tmp_path / "backup")
    assert (hash_of(world.layout.root), is_sound(world)) == (before, True)


def test_a_disk_without_room_is_noticed_before_anything_is_written(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(world, tmp_path / "backup")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage._replace(free=1000))
    with pytest.raises(StoreFullError, match="Nothing was changed"):
        restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")


@pytest.mark.slow
def test_a_restore_killed_at_any_step_leaves_the_old_or_the_new_and_is_ended_by_the_next(
    world: World, tmp_path: Path
) -> None:
    older = hash_of(world.layout.root)
    made(world, tmp_path / "backup")
    learn_more(world, "newer")
    newer = hash_of(world.layout.root)
    command = ("store", "backup", "restore", str(tmp_path / "backup"), "--replace", "--yes")
    reached: list[str] = []
    for number in range(1, MOST_STEPS):
        store = shutil.copytree(world.layout.root, tmp_path / f"store{number}")
        own = elsewhere(world, store)
        killed = run_text(COMMAND, command, environment(world.user_home, store, AFTERWIT_KILL_AT_STEP=str(number)))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        reached.append(killed.stderr.strip().rpartition(": ")[2])
        if own.layout.replacing.exists():
            with pytest.raises(StoreError, match="stopped half-way"), open_store(own.layout):
                pass
            assert finish(own.layout) is True
            assert hash_of(store) == older
        else:
            assert hash_of(store) == newer
            again = run_text(COMMAND, command, environment(world.user_home, store))
            assert again.returncode == 0, again.stderr
            assert hash_of(store) == older
        assert is_sound(own)
        assert not (own.layout.backups / "restoring").exists()
        shutil.rmtree(store)
    assert set(reached) >= {
        "an object of a backup is restored",
        "new parts of the store are ready",
        "it is written down which parts of the store are replaced",
        "a part of the store is set aside",
        "a part of the store is put in its place",
    }
    assert finish(world.layout) is False


def test_a_store_behind_a_link_is_refused(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(StoreError, match="symbolic link"):
        restored(elsewhere(world, tmp_path / "link"), tmp_path / "backup")
