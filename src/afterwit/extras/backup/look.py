"""`store backup verify`: reads everything that the snapshots at a target name, and says what is damaged or gone.

Each object is read once, compared with its name, opened, and every piece in it compared with its hash. What is wrong is
told with the snapshots that it concerns. Objects that no snapshot names are harmless: a run that was stopped left them.
"""

import os
from collections import defaultdict

import msgspec

from afterwit.config.world import World
from afterwit.extras.backup.keys import PASSPHRASE_VARIABLE, BackupKeys, VaultHeader
from afterwit.extras.backup.manifest import PackedObject, StoredPiece, piece_in
from afterwit.extras.backup.targets.at import target_at
from afterwit.extras.backup.vault import Vault, header_at, objects_in, open_vault, snapshots_in, vault_at
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


def verify_backup(
    world: World, target: str, keys: BackupKeys, progress: Progress, snapshot: str = ""
) -> VerifiedBackup:
    """All snapshots, or one."""
    sizes: dict[str, int] = {}
    pieces: dict[str, set[StoredPiece]] = defaultdict(set)
    needed_by: dict[str, list[str]] = defaultdict(list)
    faults: list[BackupFault] = []
    vault = vault_at(world, target, keys)
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


class ListedSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    created_ms: int
    sessions: int | None = None  # None: not known without the key, or damaged
    files: int | None = None
    total_bytes: int | None = None  # of the files
    new_bytes: int | None = None  # of objects that the snapshot of this machine before does not have
    content_hash: str = ""
    machine: str = ""  # that it is of
    problem: str = ""


class ListedBackup(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    encryption: str
    is_open: bool  # whether the lists of files could be read
    objects: int
    object_bytes: int | None  # None: the target does not tell sizes
    snapshots: list[ListedSnapshot]  # the newest first


def list_snapshots(world: World, target: str, keys: BackupKeys) -> ListedBackup:
    place = target_at(target)
    header = header_at(place)
    if header is None:
        raise BackupError(f"There is no backup at {place.place}. `afterwit store backup create` makes one.")
    is_open = _is_open(header, keys)
    names = place.names()
    sizes = list(objects_in(names).values())
    snapshots = (
        _describe(open_vault(place, keys, world.now_ms))
        if is_open
        else [ListedSnapshot(id=name.id, created_ms=name.at_ms) for name in snapshots_in(names, world.now_ms)]
    )
    return ListedBackup(
        target=place.place,
        encryption=header.encryption,
        is_open=is_open,
        objects=len(sizes),
        object_bytes=None if None in sizes else sum(size or 0 for size in sizes),
        snapshots=snapshots,
    )


def _is_open(header: VaultHeader, keys: BackupKeys) -> bool:
    """Whether there is anything to open it with."""
    has_words = keys.wants_passphrase or bool(os.environ.get(PASSPHRASE_VARIABLE))
    return {"none": True, "key": keys.file is not None, "passphrase": has_words}[header.encryption]


def _describe(vault: Vault) -> list[ListedSnapshot]:
    described = []
    objects: dict[str, set[PackedObject]] = {}  # of the snapshot before, by machine
    for name, manifest in reversed(list(vault.manifests())):
        if isinstance(manifest, BackupDamagedError):
            described.append(ListedSnapshot(id=name.id, created_ms=name.at_ms, problem=str(manifest)))
            continue
        new = set(manifest.objects) - objects.get(manifest.machine, set())
        objects[manifest.machine] = set(manifest.objects)
        described.append(
            ListedSnapshot(
                id=name.id,
                created_ms=name.at_ms,
                sessions=manifest.sessions,
                files=len(manifest.files),
                total_bytes=manifest.total_bytes,
                new_bytes=sum(packed.size_bytes for packed in new),
                content_hash=manifest.content_hash,
                machine=manifest.machine,
            )
        )
    return described[::-1]
