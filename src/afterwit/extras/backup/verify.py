"""`store backup verify`: reads everything that the snapshots at a target name, and says what is damaged or gone.

Each object is read once, compared with its name, opened, and every piece in it compared with its hash. What is wrong is
told with the snapshots that it concerns. Objects that no snapshot names are harmless: a run that was stopped left them.
"""

from collections import defaultdict

import msgspec

from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.manifest import PackedObject, StoredPiece
from afterwit.extras.backup.scratch import scratch_folder
from afterwit.extras.backup.targets.at import target_at
from afterwit.extras.backup.vault import SnapshotName, Vault, opened_vault, piece_in
from afterwit.model.errors import BackupDamagedError, BackupError
from afterwit.model.learn_run import Progress


class BackupFault(msgspec.Struct, frozen=True, kw_only=True):
    what: str
    object: str = ""  # its name; "" where it is a snapshot's own list
    snapshots: list[str]  # that cannot be restored as a whole


class VerifiedBackup(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    snapshots: int
    objects: int
    read_bytes: int
    unused_objects: int  # that no snapshot names: harmless
    faults: list[BackupFault]


class _Wanted:
    """What the snapshots want of one object."""

    def __init__(self) -> None:
        self.pieces: set[StoredPiece] = set()
        self.snapshots: list[str] = []


def verify(world: World, target: str, keys: BackupKeys, progress: Progress, snapshot: str = "") -> VerifiedBackup:
    """All snapshots, or one."""
    with scratch_folder(world.layout) as scratch, target_at(target, scratch, world.environ) as place:
        vault = opened_vault(place, keys, world.now_ms)
        names = [vault.named(snapshot)] if snapshot else vault.snapshots()
        if not names:
            raise BackupError(
                f"There is no complete snapshot at {vault.place}. `afterwit store backup create` makes one."
            )
        wanted, faults = _wanted(vault, names)
        progress.begin(len(wanted), sum(packed.size_bytes for packed in wanted))
        read_bytes = 0
        for packed, parts in wanted.items():
            read_bytes += packed.size_bytes
            try:
                _check(vault, packed, parts.pieces)
            except BackupDamagedError as error:
                faults.append(BackupFault(what=str(error), object=packed.name, snapshots=parts.snapshots))
            progress.advance(1, packed.size_bytes)
        unused = vault.objects().keys() - {packed.name for packed in wanted}
    return VerifiedBackup(
        target=vault.place,
        snapshots=len(names),
        objects=len(wanted),
        read_bytes=read_bytes,
        unused_objects=0 if snapshot else len(unused),
        faults=faults,
    )


def _wanted(vault: Vault, names: list[SnapshotName]) -> tuple[dict[PackedObject, _Wanted], list[BackupFault]]:
    wanted: dict[PackedObject, _Wanted] = defaultdict(_Wanted)
    faults: list[BackupFault] = []
    for name in names:
        try:
            manifest = vault.manifest(name)
        except BackupDamagedError as error:
            faults.append(BackupFault(what=str(error), snapshots=[name.id]))
            continue
        for packed in manifest.objects:
            wanted[packed].snapshots.append(name.id)
        for piece in manifest.pieces:
            wanted[manifest.objects[piece.object]].pieces.add(msgspec.structs.replace(piece, object=0))
    return wanted, faults


def _check(vault: Vault, packed: PackedObject, pieces: set[StoredPiece]) -> None:
    content = vault.read_object(packed.name)
    for piece in sorted(pieces, key=lambda piece: piece.offset):
        piece_in(content, piece, packed.name)
