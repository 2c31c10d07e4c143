"""Backups in a git remote, by real git: one commit each, all or nothing, and no history after pruning."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import elsewhere, key_in, learn_more, made, refusal, restored
from tests.homes import NOW_MS, Silent, hash_of
from tests.processes import COMMAND, run_text

from afterwit.config.world import World
from afterwit.engine.archive.upkeep import verify as verify_store
from afterwit.extras.backup.look import verify_backup
from afterwit.extras.backup.prune import KeepRule, prune_backup
from afterwit.extras.backup.targets.git_remote import BRANCH, GitTarget
from afterwit.model.errors import BackupError


def git(folder: Path, *arguments: str) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environ, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", os.devnull)
    (tmp_path / "remote.git").mkdir()
    git(tmp_path / "remote.git", "init", "-q", "--bare")
    git(tmp_path / "remote.git", "config", "uploadpack.allowFilter", "true")
    git(tmp_path / "remote.git", "config", "uploadpack.allowAnySHA1InWant", "true")
    return tmp_path / "remote.git"


@pytest.fixture
def world(world: World) -> World:
    return world._replace(environ={**world.environ, "PATH": os.environ["PATH"]})


def commits(bare: Path) -> int:
    return int(git(bare, "rev-list", "--count", BRANCH))


@pytest.mark.slow
def test_a_backup_in_a_git_remote_is_made_checked_thinned_out_and_restored(
    world: World, tmp_path: Path, bare: Path
) -> None:
    target, keys = f"git+file://{bare}", key_in(tmp_path)
    made(world, target, keys)
    assert made(world, target, keys, NOW_MS + 1000).sent_objects == 0
    learn_more(world, "latest")
    world = world._replace(now_ms=NOW_MS + 90_000_000)
    made(world, target, keys, world.now_ms)
    assert commits(bare) == 3
    assert verify_backup(world, target, keys, Silent()).faults == []
    pruned = prune_backup(world, target, keys, KeepRule(1, 0, 0), lambda _planned: True)
    assert pruned is not None
    assert (pruned.removed, commits(bare)) == (2, 1)
    other = elsewhere(world, tmp_path / "other")._replace(environ=world.environ)
    restored(other, target, keys)
    assert hash_of(other.layout.root) == hash_of(world.layout.root)
    assert list(verify_store(other.layout)) == []
    assert git(bare, "log", "-1", "--format=%an %ae", BRANCH).strip() == "afterwit afterwit@localhost"


@pytest.mark.slow
def test_a_backup_killed_at_any_step_leaves_the_last_good_one(world: World, tmp_path: Path, bare: Path) -> None:
    target, keys = f"git+file://{bare}", key_in(tmp_path)
    made(world, target, keys)
    assert keys.file is not None
    command = ("store", "backup", "create", target, "--key-file", str(keys.file))
    reached = []
    learn_more(world, "more")
    for number in range(1, 60):
        before = git(bare, "rev-parse", BRANCH)
        environ = environment(world.user_home, world.layout.root, AFTERWIT_KILL_AT_STEP=str(number))
        killed = run_text(COMMAND, command, environ)
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        reached.append(killed.stderr.strip().rpartition(": ")[2])
        assert (git(bare, "rev-parse", BRANCH) == before) == (reached[-1] != "a backup is pushed")
    assert reached[-2:] == ["a backup is committed, not pushed", "a backup is pushed"]
    assert verify_backup(world, target, keys, Silent()).faults == []


def test_what_somebody_else_pushed_meanwhile_is_not_overwritten(tmp_path: Path, bare: Path) -> None:
    ours, theirs = (GitTarget(f"file://{bare}", tmp_path / name, dict(os.environ)) for name in ("ours", "theirs"))
    theirs.write("objects/theirs", b"1")
    theirs.publish("theirs")
    ours.write("objects/ours", b"2")
    with pytest.raises(BackupError, match="run the command again"):
        ours.publish("ours", is_pruned=True)
    assert git(bare, "ls-tree", "-r", "--name-only", BRANCH).split() == ["objects/theirs"]
    ours.publish("ours")
    theirs.write("objects/later", b"3")
    theirs.publish("theirs")
    assert git(bare, "ls-tree", "-r", "--name-only", BRANCH).split() == [
        f"objects/{name}" for name in ("later", "ours", "theirs")
    ]


def test_of_two_that_begin_a_backup_at_once_the_second_gives_way(tmp_path: Path, bare: Path) -> None:
    ours, theirs = (GitTarget(f"file://{bare}", tmp_path / name, dict(os.environ)) for name in ("ours", "theirs"))
    for target in (theirs, ours):
        assert target.begin("afterwit-backup.json", target.place.encode() + os.urandom(4))
    theirs.publish("theirs")
    with pytest.raises(BackupError, match=r"Another machine wrote afterwit-backup\.json .* Run the command again"):
        ours.publish("ours")


def test_a_remote_that_is_not_there_is_said(world: World, tmp_path: Path) -> None:
    said = refusal(lambda: made(world, f"git+file://{tmp_path}/none.git", key_in(tmp_path)))
    assert "git ls-remote on" in said
    assert "does not appear to be a git repository" in said or "does not exist" in said


def test_links_in_a_remote_are_nothing_of_ours(tmp_path: Path, bare: Path) -> None:
    git(tmp_path, "init", "-q", "work")
    (tmp_path / "work/link").symlink_to("/etc/passwd")
    git(tmp_path / "work", "add", "-A")
    git(tmp_path / "work", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    git(tmp_path / "work", "push", "-q", str(bare), f"HEAD:refs/heads/{BRANCH}")
    assert GitTarget(f"file://{bare}", tmp_path / "ours", dict(os.environ)).names() == {}
