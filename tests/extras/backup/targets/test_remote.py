"""Backups through `fsspec`: in memory, on a file system that needs a rename, on a real S3-compatible server."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.extras.backup.backups import NO_KEYS, elsewhere, key_in, learn_more, made, refusal, restored
from tests.homes import NOW_MS, Silent, hash_of
from tests.s3_server import S3Server, s3_server

from afterwit.config.world import World
from afterwit.engine.archive.upkeep import verify as verify_store
from afterwit.extras.backup.daily import last_backup
from afterwit.extras.backup.look import list_snapshots, verify_backup
from afterwit.extras.backup.prune import KeepRule, prune_backup
from afterwit.extras.backup.targets.at import RemoteTarget

BUCKET = "s3://orchard-backups"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[S3Server]:
    with s3_server(monkeypatch, tmp_path, BUCKET) as server:
        yield server


def test_a_backup_on_an_s3_server_is_made_checked_thinned_out_and_restored(
    world: World, tmp_path: Path, s3: S3Server
) -> None:
    target, keys = f"{BUCKET}/store", key_in(tmp_path)
    first = made(world, target, keys)
    assert made(world, target, keys, NOW_MS + 1000).sent_objects == 0
    learn_more(world, "latest")
    world = world._replace(now_ms=NOW_MS + 90_000_000)
    made(world, target, keys, world.now_ms)
    listed = list_snapshots(world, target, keys)
    assert [snapshot.id for snapshot in listed.snapshots][-1] == first.snapshot
    assert (len(listed.snapshots), listed.encryption, listed.is_open) == (3, "key", True)
    pruned = prune_backup(world, target, keys, KeepRule(1, 0, 0), lambda _planned: True)
    assert pruned is not None
    assert pruned.removed == 2
    assert verify_backup(world, target, keys, Silent()).faults == []
    other = elsewhere(world, tmp_path / "other")
    restored(other, target, keys)
    assert hash_of(other.layout.root) == hash_of(world.layout.root)
    assert list(verify_store(other.layout)) == []


def test_damage_on_a_server_is_named(world: World, tmp_path: Path, s3: S3Server) -> None:
    target, keys = f"{BUCKET}/store", key_in(tmp_path)
    made(world, target, keys)
    remote = RemoteTarget(target)
    victim = next(name for name in remote.names() if name.startswith("objects/"))
    content = remote.read(victim, 1 << 25)
    assert content is not None
    remote.write(victim, content[:-1] + bytes([content[-1] ^ 1]))
    (fault,) = verify_backup(world, target, keys, Silent()).faults
    assert fault.object == victim.rpartition("/")[2]
    remote.remove([victim])
    assert remote.read(victim, 1 << 25) is None
    assert "is missing" in verify_backup(world, target, keys, Silent()).faults[0].what


def test_a_server_that_goes_away_is_an_error_that_is_noted(world: World, tmp_path: Path, s3: S3Server) -> None:
    target, keys = f"{BUCKET}/store", key_in(tmp_path)
    created = made(world, target, keys)
    s3.end()
    said = refusal(lambda: made(world, target, keys, NOW_MS + 1000))
    assert f"{target} failed" in said
    last = last_backup(world.layout)
    assert (last.snapshot, bool(last.failure)) == (created.snapshot, True)


def test_what_two_begin_at_once_only_one_has_begun(tmp_path: Path, s3: S3Server) -> None:
    for url in (f"{BUCKET}/begun", f"memory://begun-{tmp_path.name}", f"local://{tmp_path}/begun"):
        first, second = RemoteTarget(url), RemoteTarget(url)
        assert (first.begin("header", b"first"), second.begin("header", b"second")) == (True, False)
        assert second.read("header", 100) == b"first"
        assert second.names() == {"header": 5}
        written_ms = second.written_ms("header")
        assert written_ms is not None
        assert abs(written_ms - time.time_ns() // 1_000_000) < 3_600_000


def test_nothing_leaves_the_machine_unencrypted(world: World) -> None:
    said = refusal(lambda: made(world, "memory://plain"))
    assert "encrypted first" in said
    assert "--key-file" in said
    remote = RemoteTarget("memory://plain")
    assert remote.names() == {}
    remote.write("afterwit-backup.json", b'{"format":1,"id":"x","encryption":"none"}')
    assert "encrypted first" in refusal(lambda: made(world, "memory://plain"))
    assert list(remote.names()) == ["afterwit-backup.json"]
    remote.remove(["afterwit-backup.json"])


def test_files_are_written_beside_where_they_do_not_appear_whole(world: World, tmp_path: Path) -> None:
    target, keys = f"local://{tmp_path}/elsewhere", key_in(tmp_path)
    made(world, target, keys)
    (tmp_path / "elsewhere/objects/half.part").write_bytes(b"half")
    assert made(world, target, keys, NOW_MS + 1000).sent_objects == 0
    other = elsewhere(world, tmp_path / "other")
    restored(other, target, keys)
    assert hash_of(other.layout.root) == hash_of(world.layout.root)


def test_without_the_key_the_moments_of_snapshots_are_known(world: World, tmp_path: Path) -> None:
    created = made(world, "memory://known", key_in(tmp_path))
    listed = list_snapshots(world, "memory://known", NO_KEYS)
    assert (listed.is_open, [snapshot.id for snapshot in listed.snapshots]) == (False, [created.snapshot])
    assert [snapshot.sessions for snapshot in listed.snapshots] == [None]
