"""`store backup verify`: reads everything that the snapshots at a target name, and says what is damaged or gone.

Each object is read once, compared with its name, opened, and every piece in it compared with its hash. What is wrong is
told with the snapshots that it concerns. Objects that no snapshot names are harmless: a run that was stopped left them.
"""

from collections import defaultdict

import msgspec

from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.manifest import StoredPiece, piece_in
from afterwit.extras.backup.vault import vault_at
from afterwit.model.errors import BackupDamagedError
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


def verify(world: World, target: str, keys: BackupKeys, progress: Progress, snapshot: str = "") -> VerifiedBackup:
    """All snapshots, or one."""
    sizes: dict[str, int] = {}
    pieces: dict[str, set[StoredPiece]] = defaultdict(set)
    needed_by: dict[str, list[str]] = defaultdict(list)
    faults: list[BackupFault] = []
    with vault_at(world, target, keys) as vault:
        wanted = vault.named(snapshot)  # there must be one
        names = [wanted] if snapshot else vault.snapshots()
        for name, manifest in vault.manifests(names):
            if isinstance(manifest, BackupDamagedError):
                faults.append(BackupFault(what=str(manifest), snapshots=[name.id]))
                continue
            for packed in manifest.objects:
                sizes[packed.name] = packed.size_bytes
                needed_by[packed.name].append(name.id)
            for piece in manifest.pieces:
                pieces[manifest.objects[piece.object].name].add(msgspec.structs.replace(piece, object=0))
        progress.begin(len(sizes), sum(sizes.values()))
        for object_name, content in vault.read_objects(sizes):
            try:
                _check(content, pieces[object_name], object_name)
            except BackupDamagedError as error:
                faults.append(BackupFault(what=str(error), object=object_name, snapshots=needed_by[object_name]))
            progress.advance(1, sizes[object_name])
        unused = vault.objects().keys() - sizes.keys()
    return VerifiedBackup(
        target=vault.place,
        snapshots=len(names),
        objects=len(sizes),
        read_bytes=sum(sizes.values()),
        unused_objects=0 if snapshot else len(unused),
        faults=faults,
    )


def _check(content: bytes | BackupDamagedError, pieces: set[StoredPiece], name: str) -> None:
    if isinstance(content, BackupDamagedError):
        raise content
    for piece in pieces:
        piece_in(content, piece, name)
