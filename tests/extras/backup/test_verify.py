"""Checking backups: whatever is flipped, cut or gone is named, with the snapshots that need it."""

import hashlib
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.extras.backup.backups import (
    NO_KEYS,
    flip,
    key_in,
    learn_more,
    made,
    objects_at,
    refusal,
    snapshots_at,
    vault_at,
)
from tests.homes import NOW_MS, Silent, put, world_of
from tests.thoroughness import examples

from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.look import VerifiedBackup, verify_backup
from afterwit.extras.backup.manifest import Manifest
from afterwit.extras.backup.vault import object_path


def verified(world: World, folder: Path, keys: BackupKeys = NO_KEYS, snapshot: str = "") -> VerifiedBackup:
    return verify_backup(world, str(folder), keys, Silent(), snapshot)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_flipped_bit_is_found_and_its_object_named(world: World, tmp_path: Path, is_encrypted: bool) -> None:
    folder, keys = tmp_path / "backup", key_in(tmp_path) if is_encrypted else NO_KEYS
    first = made(world, folder, keys)
    learn_more(world, "more")
    second = made(world, folder, keys, NOW_MS + 1000)
    assert verified(world, folder, keys).faults == []
    vault = vault_at(folder, keys)
    newer, older = (
        {packed.name for packed in manifest.objects}
        for _, manifest in vault.manifests()
        if isinstance(manifest, Manifest)
    )
    old, new = (folder / object_path(min(names)) for names in (newer & older, newer - older))
    flip(old, 5000)
    (fault,) = verified(world, folder, keys).faults
    assert (fault.object, fault.object in fault.what) == (old.name, True)
    assert set(fault.snapshots) == {first.snapshot, second.snapshot}
    flip(old, 5000)
    new.write_bytes(new.read_bytes()[:-1])
    (fault,) = verified(world, folder, keys).faults
    assert (fault.object, fault.snapshots) == (new.name, [second.snapshot])
    assert verified(world, folder, keys, first.snapshot).faults == []


def test_missing_objects_and_damaged_lists_are_named(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    created = made(world, folder)
    objects_at(folder)[0].unlink()
    (fault,) = verified(world, folder).faults
    assert "is missing" in fault.what
    flip(snapshots_at(folder)[0], 20)
    (fault,) = verified(world, folder).faults
    assert (fault.object, fault.snapshots, created.snapshot in fault.what) == ("", [created.snapshot], True)


def test_what_no_snapshot_needs_is_harmless(world: World, tmp_path: Path) -> None:
    made(world, tmp_path / "backup")
    name = hashlib.sha256(b"of a run that was stopped").hexdigest()
    put(tmp_path / "backup" / "objects" / name[:2] / name, b"of a run that was stopped")
    done = verified(world, tmp_path / "backup")
    assert (done.faults, done.unused_objects) == ([], 1)


def test_an_empty_place_is_no_sound_backup(world: World, tmp_path: Path) -> None:
    assert "There is no backup" in refusal(lambda: verified(world, tmp_path / "none"))
    assert not (tmp_path / "none").exists()


@pytest.fixture(scope="module")
def backups(learned_family: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    folder = tmp_path_factory.mktemp("flipped")
    shutil.copytree(learned_family / "store", folder / "store")
    world = world_of(learned_family / "home", folder / "store")
    made(world, folder / "backup")
    return world, folder / "backup"


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), is_list=st.booleans())
def test_any_flipped_bit_is_found(backups: tuple[World, Path], position: float, bit: int, is_list: bool) -> None:
    world, folder = backups
    path = (snapshots_at(folder) if is_list else objects_at(folder))[0]
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[int(position * len(content))] ^= 1 << bit
    path.write_bytes(flipped)
    try:
        (fault,) = verified(world, folder).faults
        assert fault.object == ("" if is_list else path.name)
    finally:
        path.write_bytes(content)
