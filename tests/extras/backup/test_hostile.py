"""A backup that somebody else has written to: paths that lead away, sizes that are lies, links, keys of others.

Whoever can write to a target can destroy the backup. He must not be able to do anything else.
"""

import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from tests.extras.backup.backups import (
    NO_KEYS,
    elsewhere,
    key_in,
    made,
    objects_at,
    refusal,
    restored,
    snapshots_at,
    vault_at,
)
from tests.homes import NOW_MS, Silent, hash_of

from afterwit.config.world import World
from afterwit.extras.backup.keys import VaultHeader, age, identity_in
from afterwit.extras.backup.look import verify_backup
from afterwit.extras.backup.manifest import (
    Manifest,
    PackedObject,
    SnapshotFile,
    StoredPiece,
    hash_of_piece,
    is_safe_path,
    manifest_in,
    pack_manifest,
)
from afterwit.extras.backup.vault import HEADER, HEADER_COPY, Vault
from afterwit.model.errors import BackupDamagedError

OUT = ("../outside", "/etc/passwd", "archive/../../outside", "archive/./x", "a\\b", "notes/x", "archive/aa/b/c.zst", "")
ODD = ("archive", "spool/..", "con:fig", "config.toml/x", "spool/a\nb", "archive/aa/x\0.zst", "learn.lock", ".", "..")


def planted(vault: Vault, **changed: object) -> None:
    """A newer snapshot than all others, written as the program writes them, but for what was changed."""
    manifest = vault.manifest(vault.named(""))
    vault.put_manifest(msgspec.structs.replace(manifest, created_ms=NOW_MS + 60_000, **changed))


@pytest.mark.parametrize("path", [*OUT, *ODD])
def test_no_path_leads_out_of_the_store(world: World, tmp_path: Path, path: str) -> None:
    assert not is_safe_path(path)
    made(world, tmp_path / "backup")
    vault = vault_at(tmp_path / "backup")
    files = vault.manifest(vault.named("")).files
    planted(vault, files=(*files, SnapshotFile(path, files[0].size_bytes, files[0].pieces)))
    other = elsewhere(world, tmp_path / "deep/er/other")
    assert "Nothing of it is used" in refusal(lambda: restored(other, tmp_path / "backup"))
    assert {entry.name for entry in tmp_path.iterdir()} == {"home", "store", "backup", "deep"}
    assert not other.layout.database.exists()


def test_sizes_that_are_lies_are_refused_before_anything_is_made(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    vault = vault_at(tmp_path / "backup")
    true = vault.manifest(vault.named(""))
    file, piece = true.files[0], true.pieces[0]
    lies: list[dict[str, object]] = [
        {"files": (msgspec.structs.replace(file, size_bytes=1 << 60), *true.files[1:])},
        {"files": (msgspec.structs.replace(file, pieces=(1 << 40,)), *true.files[1:])},
        {"files": (file, file)},
        {"pieces": (msgspec.structs.replace(piece, length=1 << 40), *true.pieces[1:])},
        {"pieces": (msgspec.structs.replace(piece, offset=-1), *true.pieces[1:])},
        {"pieces": (msgspec.structs.replace(piece, object=77), *true.pieces[1:])},
        {"objects": (PackedObject("../../etc/passwd", 10), *true.objects[1:])},
        {"objects": (PackedObject(true.objects[0].name, 1 << 50), *true.objects[1:])},
        {"format": 99},
    ]
    for lie in lies:
        packed = pack_manifest(msgspec.structs.replace(true, **lie))
        with pytest.raises(BackupDamagedError):
            manifest_in(packed, "The snapshot")
    for content in (b"", b"\x28\xb5\x2f\xfd", pack_manifest(true)[:-9], msgspec.msgpack.encode([1])):
        with pytest.raises(BackupDamagedError):
            manifest_in(content, "The snapshot")


def test_a_piece_that_unpacks_to_more_than_it_says_is_no_piece(world: World, tmp_path: Path) -> None:
    from afterwit.model import zstd

    made(world, tmp_path / "backup")
    vault = vault_at(tmp_path / "backup")
    bomb = zstd.Compressor(level=19).compress(bytes(200_000_000))
    packed, sealed = vault.sealed(bomb)
    vault.put_sealed(packed, sealed)
    piece = StoredPiece(hash_of_piece(bytes(4_000_000)), 0, 0, len(bomb), 4_000_000)
    files = (SnapshotFile("config.toml", 4_000_000, (0,)),)
    planted(vault, objects=(packed,), pieces=(piece,), files=files)
    assert "A piece of the object" in refusal(
        lambda: restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    )


def test_a_file_of_impossible_size_is_not_read_whole(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    victim = objects_at(tmp_path / "backup")[0]
    os.truncate(victim, 1 << 40)
    (fault,) = verify_backup(world, str(tmp_path / "backup"), NO_KEYS, Silent()).faults
    assert fault.object == victim.name


def test_links_and_pipes_in_a_backup_are_not_followed(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    victim = objects_at(tmp_path / "backup")[0]
    secret = tmp_path / "secret"
    victim.rename(secret)
    victim.symlink_to(secret)
    (fault,) = verify_backup(world, str(tmp_path / "backup"), NO_KEYS, Silent()).faults
    assert "is a link" in fault.what
    victim.unlink()
    os.mkfifo(victim)
    (fault,) = verify_backup(world, str(tmp_path / "backup"), NO_KEYS, Silent()).faults
    assert "is no file" in fault.what
    (tmp_path / "link").symlink_to(tmp_path / "backup")
    assert "is no folder" in refusal(lambda: made(world, tmp_path / "link"))


def test_a_link_in_the_place_of_an_object_is_replaced_not_written_through(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    victim, outside = objects_at(tmp_path / "backup")[0], tmp_path / "outside"
    content = victim.read_bytes()
    outside.write_bytes(b"precious")
    victim.unlink()
    victim.symlink_to(outside)
    made(world, tmp_path / "backup", at_ms=NOW_MS + 1)
    assert (outside.read_bytes(), victim.is_symlink(), victim.read_bytes()) == (b"precious", False, content)


def test_a_snapshot_that_was_written_without_the_secret_key_is_not_believed(world: World, tmp_path: Path) -> None:
    """Everybody may know the public key, and can encrypt for it."""
    keys = key_in(tmp_path)
    made(world, tmp_path / "backup", keys)
    assert keys.file is not None
    recipient = identity_in(keys.file).to_public()
    forged = age().encrypt(bytes(32) + pack_manifest(_empty()), [recipient])
    name = f"20260529T000000000Z-{hashlib.sha256(forged).hexdigest()}"
    (tmp_path / "backup/snapshots" / name).write_bytes(forged)
    other = elsewhere(world, tmp_path / "other")
    assert "somebody else put it there" in refusal(lambda: restored(other, tmp_path / "backup", keys))
    assert not other.layout.database.exists()


def test_a_header_with_another_key_gets_nothing(world: World, tmp_path: Path) -> None:
    keys, others = key_in(tmp_path), key_in(tmp_path, "others.key")
    made(world, tmp_path / "backup", keys)
    made(world, tmp_path / "theirs", others)
    header = tmp_path / "backup" / HEADER
    before = header.read_bytes()
    header.write_bytes((tmp_path / "theirs" / HEADER).read_bytes())
    assert "is not the key of the backup" in refusal(lambda: made(world, tmp_path / "backup", keys, NOW_MS + 1))
    header.write_bytes(b'{"format":1,"id":"x","encryption":"none"}')
    assert "is not encrypted" in refusal(lambda: made(world, tmp_path / "backup", keys, NOW_MS + 1))
    assert len(snapshots_at(tmp_path / "backup")) == 1
    for path in (header, tmp_path / "backup" / HEADER_COPY):
        path.write_bytes(b'{"format":1')
    assert "cannot be decrypted" in refusal(lambda: made(world, tmp_path / "backup", others, NOW_MS + 1))
    made(world, tmp_path / "backup", keys, NOW_MS + 1)
    assert VaultHeader(**msgspec.json.decode(before)).recipient == vault_at(tmp_path / "backup", keys).header.recipient


def test_a_forged_snapshot_of_the_far_future_stops_no_restore(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    (tmp_path / "backup/snapshots" / f"20991231T235959000Z-{'0' * 64}").write_bytes(b"forged")
    restored(elsewhere(world, tmp_path / "other"), tmp_path / "backup")
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)


def _empty() -> Manifest:
    return Manifest(created_ms=0, program="", machine="", sessions=0, content_hash="", objects=(), pieces=(), files=())
