"""`store backup create`: one more snapshot at a target.

What is there is not sent again. Everything that was sent is read back before the list of files that makes it a snapshot
is written, so that a run that is stopped, finds the disk full or loses its target leaves the last good snapshot, and
the next run goes on. The lease of the store is held meanwhile: nothing is learned, and two backups do not mix.
"""

from contextlib import suppress
from itertools import accumulate
from pathlib import Path

import msgspec

from afterwit import __version__
from afterwit.config.world import World
from afterwit.extras.backup.contents import StoreFile, collected
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.last import note_backup, note_failure
from afterwit.extras.backup.manifest import Manifest
from afterwit.extras.backup.packing import PackedFiles, Packing
from afterwit.extras.backup.scratch import scratch_folder
from afterwit.extras.backup.targets.at import target_at
from afterwit.extras.backup.transfers import fetched
from afterwit.extras.backup.vault import SnapshotName, Vault, header_at, is_ahead, opened_vault
from afterwit.model.errors import AfterwitError, BackupDamagedError, BackupError, BusyError, StoreError
from afterwit.model.learn_run import Progress
from afterwit.store.atomic import step
from afterwit.store.copying import CopiedFacts, facts_of_copy, machine_of_copy
from afterwit.store.database import translated
from afterwit.store.lease import held
from afterwit.store.store import opened, require

_WAIT_SECONDS = 60
_CHECKED_BYTES, _CHECKED_FAR_BYTES = 256 << 20, 16 << 20  # of what is built on, by one run


class CreatedBackup(msgspec.Struct, frozen=True, kw_only=True):
    """What was made and sent."""

    target: str
    snapshot: str
    created_ms: int
    sessions: int
    content_hash: str
    files: int
    total_bytes: int  # of the files
    sent_objects: int
    sent_bytes: int
    is_encrypted: bool
    is_read_back: bool
    is_first: bool
    skipped: str = ""  # a snapshot that could not be built on, and why


def create(
    world: World, target: str, keys: BackupKeys, progress: Progress, *, reads_back: bool = True
) -> CreatedBackup:
    """Makes a snapshot. A failure is noted for those who look at the state of the store."""
    layout = world.layout
    require(layout)
    try:
        with held(layout.lease, wait_seconds=_WAIT_SECONDS), scratch_folder(layout, is_alone=True) as scratch:
            with opened(layout) as store:  # brings the schema up to date, and refuses what is not whole
                machine = store.journal.machine
            with target_at(target, scratch / "git", world.environ) as place:
                vault = opened_vault(place, keys, world.now_ms, may_begin=True)
                created = _made(world, vault, machine, scratch, progress, reads_back=reads_back)
            note_backup(layout, place.place, created.snapshot, created.created_ms)
            return created
    except OSError as error:
        failure = translated(error, layout.backups)
        _note_failure(world, target, failure)
        raise failure from error
    except (BackupError, StoreError) as error:
        _note_failure(world, target, error)
        raise


def _note_failure(world: World, target: str, error: AfterwitError) -> None:
    """Another run at work is none. On a full disk there may be no room for the note."""
    if not isinstance(error, BusyError):
        with suppress(OSError):
            note_failure(world.layout, target, str(error), world.now_ms)


def _made(
    world: World, vault: Vault, machine: str, scratch: Path, progress: Progress, *, reads_back: bool
) -> CreatedBackup:
    note = world.layout.backups / "sent-objects"
    before, skipped = _latest(vault, machine)
    looked_at, damage = before.looked_at if before is not None else "", ""
    if reads_back and before is not None:
        looked_at, damage = _look_for_damage(vault, before)
    copies = scratch / "copies"
    copies.mkdir(mode=0o700)
    files = collected(world.layout, copies)
    step("the databases are copied for a backup")
    progress.begin(len(files), sum(file.size_bytes for file in files))
    packed = Packing(vault, before, note, world.now_ms).packed(files, progress)
    _refuse_shortened(files, packed)
    if reads_back and vault.target.keeps_at_once:
        _refuse_missing(vault, packed)
        _read_back(vault, packed, before, progress)
        _refuse_other_header(vault)
    moments = [name.at_ms for name in vault.snapshots()]
    facts = _facts(before, packed, copies / world.layout.database.name)
    manifest = Manifest(
        created_ms=max(world.now_ms, *(at_ms + 1 for at_ms in moments if not is_ahead(at_ms, world.now_ms)), 0),
        program=__version__,
        machine=machine_of_copy(copies / world.layout.journal.name),
        sessions=facts.sessions,
        content_hash=facts.content_hash,
        objects=packed.objects,
        pieces=packed.pieces,
        files=packed.files,
        looked_at=looked_at,
    )
    snapshot = vault.put_manifest(manifest)
    vault.target.publish(f"Snapshot {snapshot.id}")
    if reads_back:
        vault.manifest(snapshot)
        _refuse_missing(vault, packed)
    note.unlink(missing_ok=True)
    return _created(
        vault, snapshot, manifest, packed, is_read_back=reads_back, skipped=skipped or damage, before=before
    )


def _latest(vault: Vault, machine: str) -> tuple[Manifest | None, str]:
    """The newest snapshot of this machine that can be read, and what was wrong with a newer one. On those of others is
    not built: what they hold is of little use here, and others may remove them at any time."""
    skipped = ""
    for snapshot in vault.snapshots():
        try:
            manifest = vault.manifest(snapshot)
        except BackupDamagedError as error:
            skipped = skipped or str(error)
        else:
            if manifest.machine == machine:
                return manifest, skipped
    return None, skipped


def _look_for_damage(vault: Vault, before: Manifest) -> tuple[str, str]:
    """Reads what is to be built on, as much as a run may take: by their names, from where the last run ended, so that
    all of it has its turn. What is damaged is sent again. Returns how far it came, and what was found."""
    there = (packed for packed in before.objects if vault.has(packed))
    objects = sorted(there, key=lambda packed: (packed.name <= before.looked_at, packed.name))
    most_bytes = _CHECKED_FAR_BYTES if vault.target.leaves_machine else _CHECKED_BYTES
    before_bytes = accumulate((packed.size_bytes for packed in objects), initial=0)
    names = [packed.name for packed, size in zip(objects, before_bytes, strict=False) if size < most_bytes]

    def is_sound(name: str) -> bool:
        try:
            vault.read_sealed(name)
        except BackupDamagedError:
            return False
        return True

    damaged = [name for name, sound in fetched(is_sound, names, vault.target.at_once) if not sound]
    for name in damaged:
        vault.pass_over(name)
    said = f"{len(damaged)} objects at {vault.place} are damaged, and what they held was sent again."
    return names[-1] if names else before.looked_at, said if damaged else ""


def _facts(before: Manifest | None, packed: PackedFiles, copy: Path) -> CopiedFacts:
    """Of the database; as they were, if it is byte for byte the one of before."""

    def hashes(manifest: "Manifest | PackedFiles") -> list[bytes]:
        return [
            manifest.pieces[number].hash for file in manifest.files if file.path == copy.name for number in file.pieces
        ]

    if before is not None and hashes(before) == hashes(packed):
        return CopiedFacts(before.sessions, before.content_hash)
    return facts_of_copy(copy)


def _refuse_shortened(files: list[StoreFile], packed: PackedFiles) -> None:
    """What stands still by the lease must have been read as long as it was."""
    sizes = {file.path: file.size_bytes for file in packed.files}
    for file in files:
        if file.stamp and sizes.get(file.path) != file.size_bytes:
            raise BackupError(
                f"{file.path} changed while it was read: another program writes to the archive. End it, and try again."
            )


def _read_back(vault: Vault, packed: PackedFiles, before: Manifest | None, progress: Progress) -> None:
    """Before the snapshot exists: what was sent, also by a run that was stopped, is what is there."""
    earlier = set(before.objects) - set(packed.sent) if before is not None else set()
    names = [sent.name for sent in packed.objects if sent not in earlier]
    progress.stage("reading back", len(names), "objects")
    for _ in fetched(vault.read_sealed, names, vault.target.at_once):
        progress.advance(1, 1)


def _refuse_missing(vault: Vault, packed: PackedFiles) -> None:
    """What was there still is. Asked before and after the list is written: another machine may be pruning."""
    vault.look_again()
    for kept in packed.objects:
        if not vault.has(kept):
            raise BackupDamagedError(f"The object {kept.name} is missing at {vault.place}. Run the command again.")


def _refuse_other_header(vault: Vault) -> None:
    """Where a target cannot write exclusively, two machines may begin a backup in the same moment; one gives way."""
    if header_at(vault.target) != vault.header:
        raise BackupError(f"Another machine began a backup at {vault.place} at the same time. Run the command again.")


def _created(
    vault: Vault,
    snapshot: SnapshotName,
    manifest: Manifest,
    packed: PackedFiles,
    *,
    is_read_back: bool,
    skipped: str,
    before: Manifest | None,
) -> CreatedBackup:
    sent_bytes = sum(sent.size_bytes for sent in packed.sent) + (snapshot.size_bytes or 0)
    return CreatedBackup(
        target=vault.place,
        snapshot=snapshot.id,
        created_ms=snapshot.at_ms,
        sessions=manifest.sessions,
        content_hash=manifest.content_hash,
        files=len(manifest.files),
        total_bytes=manifest.total_bytes,
        sent_objects=len(packed.sent),
        sent_bytes=sent_bytes,
        is_encrypted=vault.seal.is_encrypted,
        is_read_back=is_read_back,
        is_first=before is None,
        skipped=skipped,
    )
