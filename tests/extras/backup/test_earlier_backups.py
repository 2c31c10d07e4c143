"""Backups of earlier versions, which put many pieces into one object, are listed, checked, restored and built on."""

from pathlib import Path

import msgspec
import pytest
from tests.extras.backup.backups import (
    NO_KEYS,
    elsewhere,
    flip,
    key_in,
    learn_more,
    made,
    objects_at,
    restored,
    snapshots_at,
    vault_at,
)
from tests.homes import NOW_MS, Silent, hash_of

from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.look import list_snapshots, verify_backup


def packed_into_one(world: World, folder: Path, keys: BackupKeys) -> None:
    """A backup as earlier versions made it: the pieces of all files one behind the other, in one object."""
    made(world, folder, keys, NOW_MS - 1)
    vault = vault_at(folder, keys)
    manifest = vault.manifest(vault.named(""))
    content, pieces = b"", []
    contents = dict(vault.read_objects([packed.name for packed in manifest.objects]))
    for piece in manifest.pieces:
        stored = contents[manifest.objects[piece.object].name]
        assert isinstance(stored, bytes)
        pieces.append(msgspec.structs.replace(piece, object=0, offset=len(content)))
        content += stored
    packed, sealed = vault.sealed(content)
    for path in (*objects_at(folder), *snapshots_at(folder)):
        path.unlink()
    vault.put_sealed(packed, sealed)
    vault.put_manifest(msgspec.structs.replace(manifest, objects=(packed,), pieces=tuple(pieces), created_ms=NOW_MS))


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_an_earlier_backup_is_listed_checked_restored_and_built_on(
    world: World, tmp_path: Path, is_encrypted: bool
) -> None:
    folder, keys = tmp_path / "backup", key_in(tmp_path) if is_encrypted else NO_KEYS
    packed_into_one(world, folder, keys)
    before = hash_of(world.layout.root)
    (listed,) = list_snapshots(world, str(folder), keys).snapshots
    assert (listed.content_hash, listed.problem) == (before, "")
    assert (verify_backup(world, str(folder), keys, Silent()).faults, len(objects_at(folder))) == ([], 1)
    restored(elsewhere(world, tmp_path / "other"), folder, keys)
    assert hash_of(tmp_path / "other") == before
    assert made(world, folder, keys, NOW_MS + 1).sent_objects == 0
    learn_more(world, "more")
    made(world, folder, keys, NOW_MS + 2)
    restored(elsewhere(world, tmp_path / "newer"), folder, keys)
    assert hash_of(tmp_path / "newer") == hash_of(world.layout.root)
    assert verify_backup(world, str(folder), keys, Silent()).faults == []


def test_a_flipped_bit_in_it_is_found_and_concerns_all_that_build_on_it(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    packed_into_one(world, folder, NO_KEYS)
    (packed,) = objects_at(folder)
    made(world, folder, at_ms=NOW_MS + 1)
    flip(packed, 500)
    (fault,) = verify_backup(world, str(folder), NO_KEYS, Silent()).faults
    assert (fault.object, len(fault.snapshots)) == (packed.name, 2)
    assert "are damaged, and what they held was sent again" in made(world, folder, at_ms=NOW_MS + 2).skipped
    restored(elsewhere(world, tmp_path / "other"), folder)
    assert hash_of(tmp_path / "other") == hash_of(world.layout.root)
