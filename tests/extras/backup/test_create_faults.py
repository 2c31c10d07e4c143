"""Backups that are killed, find the disk full or lose their target leave the last good snapshot, and can go on."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import (
    NO_KEYS,
    elsewhere,
    key_in,
    learn_more,
    made,
    objects_at,
    restored,
    snapshots_at,
    vault_at,
)
from tests.homes import Silent, hash_of
from tests.processes import COMMAND, run_text
from tests.thoroughness import STRIDE

from afterwit.config.world import World
from afterwit.engine.archive.upkeep import verify as verify_store
from afterwit.extras.backup.daily import last_backup
from afterwit.extras.backup.look import verify_backup
from afterwit.model.errors import BackupError

CREATE = ("store", "backup", "create")
MOST_STEPS = 60


def create(world: World, target: Path, *key: str, **more: str) -> "subprocess.CompletedProcess[str]":
    environ = environment(world.user_home, world.layout.root, **more)
    return run_text(COMMAND, (*CREATE, str(target), *key), environ)


@pytest.mark.slow
def test_a_backup_killed_at_any_step_leaves_the_last_good_one_and_goes_on(world: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    made(world, target)
    before = hash_of(world.layout.root)
    reached: list[str] = []
    for number in range(1, MOST_STEPS):
        learn_more(world, f"more-{number}")
        killed = create(world, target, AFTERWIT_KILL_AT_STEP=str(number))
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        reached.append(killed.stderr.strip().rpartition(": ")[2])
        vault = vault_at(target)
        newest = vault.manifest(vault.named(""))
        is_complete = reached[-1] == "the list of a snapshot is stored"
        assert newest.content_hash == (hash_of(world.layout.root) if is_complete else before)
        assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []
        assert create(world, target).returncode == 0
        before = hash_of(world.layout.root)
        assert vault_at(target).manifest(vault_at(target).named("")).content_hash == before
    assert set(reached) >= {
        "the databases are copied for a backup",
        "an object of a backup is stored",
        "the list of a snapshot is stored",
    }
    assert not (world.layout.backups / "backing-up").exists()
    restored(elsewhere(world, tmp_path / "other"), target)
    assert list(verify_store(elsewhere(world, tmp_path / "other").layout)) == []


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_killed_first_backup_is_no_backup_and_the_next_sends_only_the_rest(
    world: World, tmp_path: Path, is_encrypted: bool
) -> None:
    target, keys = tmp_path / "backup", key_in(tmp_path) if is_encrypted else NO_KEYS
    key = ("--key-file", str(keys.file)) if is_encrypted else ()
    assert create(world, target, *key, AFTERWIT_KILL_AT_STEP="6").returncode == -signal.SIGKILL
    sent = objects_at(target)
    assert (len(sent), snapshots_at(target)) == (4, [])
    assert create(world, target, *key).returncode == 0
    assert verify_backup(world, str(target), keys, Silent()).unused_objects == is_encrypted  # the last was not noted
    assert len(set(sent) - set(objects_at(target))) == 0
    assert not (world.layout.backups / "sent-objects").exists()


@pytest.mark.parametrize("limit_bytes", [1 << 14, 1 << 9, 1 << 18][::STRIDE])
def test_a_full_disk_stops_a_backup_and_costs_nothing(world: World, tmp_path: Path, limit_bytes: int) -> None:
    target = tmp_path / "backup"
    made(world, target)
    good = hash_of(world.layout.root)
    learn_more(world, *(f"more-{number}" for number in range(20)), turns=30)

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    failed = subprocess.run(
        [sys.executable, "-m", "afterwit", *CREATE, str(target)],
        env=environment(world.user_home, world.layout.root, PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limited,
    )
    assert (failed.returncode, failed.stderr.splitlines()[-1][:10]) == (1, "afterwit: ")
    vault = vault_at(target)
    assert [vault.manifest(name).content_hash for name in vault.snapshots()] == [good]
    assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []
    assert create(world, target).returncode == 0
    restored(elsewhere(world, tmp_path / "other"), target)
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)


def test_a_target_that_goes_away_is_an_error_that_is_noted(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "mounted" / "backup"
    made(world, target)

    def unmounted(*_arguments: object) -> None:
        raise OSError(5, "Input/output error")

    learn_more(world, "latest")
    monkeypatch.setattr("afterwit.extras.backup.targets.at.replace_file", unmounted)
    with pytest.raises(BackupError, match=r"Writing to .*backup failed: Input/output error\. The last complete backup"):
        made(world, target)
    last = last_backup(world.layout)
    assert (last.at_ms is not None, last.failed_target, "Input/output" in last.failure) == (True, str(target), True)
    monkeypatch.undo()
    made(world, target)
    assert last_backup(world.layout).failure == ""
