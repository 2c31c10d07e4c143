"""A small store to back up, and ways to make, open and damage backups of it."""

import os
from pathlib import Path

from tests.homes import CLAUDE, NOW_MS, Silent, claude_records, learned, put, world_of

from afterwit.config.world import World
from afterwit.extras.backup.create import CreatedBackup, make_snapshot
from afterwit.extras.backup.keys import BackupKeys, make_key
from afterwit.extras.backup.restore import Restored, restore_snapshot
from afterwit.extras.backup.targets.at import FolderTarget
from afterwit.extras.backup.vault import Vault, open_vault
from afterwit.model.errors import BackupError

NO_KEYS = BackupKeys()
LATER_MS = NOW_MS + 3_650 * 86_400_000  # than the clock of this machine, by which commands go


def learn_more(world: World, *sessions: str, turns: int = 3) -> None:
    for session in sessions:
        put(world.user_home / CLAUDE / f"{session}.jsonl", claude_records(session, turns))
    learned(world.user_home, world.layout.root)


def made(world: World, target: Path | str, keys: BackupKeys = NO_KEYS, at_ms: int = NOW_MS) -> CreatedBackup:
    return make_snapshot(world._replace(now_ms=at_ms), str(target), keys, Silent())


def restored(world: World, target: Path | str, keys: BackupKeys = NO_KEYS, snapshot: str = "") -> Restored:
    done = restore_snapshot(
        world, str(target), keys, Silent(), lambda _planned: True, snapshot=snapshot, may_replace=True
    )
    assert done is not None
    return done


def elsewhere(world: World, folder: Path) -> World:
    """The same machine with an empty store."""
    return world_of(world.user_home, folder)._replace(now_ms=LATER_MS)


def key_in(folder: Path, name: str = "backup.key") -> BackupKeys:
    make_key(folder / name, NOW_MS)
    return BackupKeys(folder / name)


def vault_at(folder: Path, keys: BackupKeys = NO_KEYS) -> Vault:
    return open_vault(FolderTarget(folder), keys, LATER_MS)


def objects_at(folder: Path) -> list[Path]:
    return sorted((folder / "objects").glob("*/*"))


def snapshots_at(folder: Path) -> list[Path]:
    return sorted((folder / "snapshots").glob("*"))


def age_objects(folder: Path) -> None:
    """As if they had been sent long ago."""
    for path in objects_at(folder):
        os.utime(path, (1, 1))


def flip(path: Path, byte: int = -1) -> None:
    """One bit."""
    content = bytearray(path.read_bytes())
    content[byte % len(content)] ^= 1
    path.write_bytes(content)


def refusal(call: object) -> str:
    """What a call that must be refused says."""
    assert callable(call)
    try:
        call()
    except BackupError as error:
        return str(error)
    raise AssertionError("nothing was refused")
