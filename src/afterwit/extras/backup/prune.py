"""`store backup prune`: removes snapshots that a rule does not keep, then objects that no snapshot names any more.

The rule holds for each machine that backs up there, and of each the newest snapshot that is whole stays, whatever the
rule says. Lists of files go before objects: a run that is stopped leaves objects without a use, and never a snapshot
without its objects. A list that is damaged keeps nothing: nothing can be restored from it. Objects that nothing names
stay for some days: another machine may have sent them for a list that is not there yet. With a store, its lease is
held, so that no backup of it is made meanwhile.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.extras.backup.keep import KeepRule, kept_moments
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.manifest import Manifest
from afterwit.extras.backup.scratch import scratch_folder
from afterwit.extras.backup.targets.at import target_at
from afterwit.extras.backup.targets.target import Target
from afterwit.extras.backup.vault import UNNAMED_MS, SnapshotName, Vault, is_ahead, object_path, opened_vault
from afterwit.model.errors import BackupDamagedError, BackupError, UsageError
from afterwit.store.layout import Layout
from afterwit.store.lease import held

_WAIT_SECONDS = 60


class PrunedSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    created_ms: int
    is_kept: bool
    problem: str = ""  # why nothing can be restored from it


class PrunedBackup(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    snapshots: list[PrunedSnapshot]  # the newest first
    removed_objects: int
    young_objects: int  # that nothing names, and that stay for now: a backup may be under way
    freed_bytes: int | None  # None: the target does not tell sizes
    is_dry_run: bool

    @property
    def removed(self) -> int:
        return sum(not snapshot.is_kept for snapshot in self.snapshots)


class _Judged(NamedTuple):
    name: SnapshotName
    manifest: Manifest | None  # None: it cannot be read
    problem: str


def prune(
    world: World,
    target: str,
    keys: BackupKeys,
    rule: KeepRule,
    agree: Callable[[PrunedBackup], bool],
    *,
    is_dry_run: bool = False,
) -> PrunedBackup | None:
    """None, where the answer was no."""
    if min(rule) < 0 or not any(rule):
        raise UsageError("The rule keeps nothing. Give at least one of --keep-daily, --keep-weekly, --keep-monthly.")
    with (
        _lease(world.layout),
        scratch_folder(world.layout) as scratch,
        target_at(target, scratch, world.environ) as place,
    ):
        vault = opened_vault(place, keys, world.now_ms)
        judged = [_judged(vault, name) for name in vault.snapshots()]
        kept = _kept(judged, rule, world, vault.place)
        used = {packed.name for snapshot in kept if snapshot.manifest for packed in snapshot.manifest.objects}
        unnamed = {name: size for name, size in vault.objects().items() if name not in used}
        unused = {name: size for name, size in unnamed.items() if not _is_young(place, name, world.now_ms)}
        young = len(unnamed) - len(unused)
        planned = _planned(vault.place, judged, kept, unused, young, is_dry_run=is_dry_run)
        if is_dry_run or not (unused or planned.removed):
            return planned
        if not agree(planned):
            return None
        place.remove([snapshot.name.name for snapshot in judged if snapshot not in kept])
        place.remove([object_path(name) for name in sorted(unused)])
        place.publish("Prune", is_pruned=True)
    return planned


def _planned(
    place: str,
    judged: list[_Judged],
    kept: list[_Judged],
    unused: dict[str, int | None],
    young: int,
    *,
    is_dry_run: bool,
) -> PrunedBackup:
    sizes = list(unused.values())
    return PrunedBackup(
        target=place,
        snapshots=[
            PrunedSnapshot(
                id=snapshot.name.id,
                created_ms=snapshot.name.at_ms,
                is_kept=snapshot in kept,
                problem=snapshot.problem,
            )
            for snapshot in judged
        ],
        removed_objects=len(unused),
        young_objects=young,
        freed_bytes=None if None in sizes else sum(size or 0 for size in sizes),
        is_dry_run=is_dry_run,
    )


def _judged(vault: Vault, name: SnapshotName) -> _Judged:
    try:
        manifest = vault.manifest(name)
    except BackupDamagedError as error:
        return _Judged(name, None, str(error))
    missing = [packed.name for packed in manifest.objects if not vault.has(packed)]
    problem = f"the object {missing[0]} is missing or has another size" if missing else ""
    return _Judged(name, manifest, problem)


def _kept(judged: list[_Judged], rule: KeepRule, world: World, place: str) -> list[_Judged]:
    """By the rule, of those that can be read; with the newest whole one of each machine."""
    if judged and all(snapshot.problem for snapshot in judged):
        raise BackupError(
            f"No snapshot at {place} is whole, so none is removed. `afterwit store backup verify` says what is wrong;"
            " `create` makes a new one."
        )
    machines = {snapshot.manifest.machine for snapshot in judged if snapshot.manifest is not None}
    by_machine = [
        [snapshot for snapshot in judged if snapshot.manifest is not None and snapshot.manifest.machine == machine]
        for machine in machines
    ]
    kept = [snapshot for snapshots in by_machine for snapshot in _kept_of_machine(snapshots, rule, world)]
    return sorted(kept, key=judged.index)


def _kept_of_machine(snapshots: list[_Judged], rule: KeepRule, world: World) -> list[_Judged]:
    """All, where none is whole."""
    whole = [snapshot for snapshot in snapshots if not snapshot.problem]
    if not whole:
        return snapshots
    moments = [snapshot.name.at_ms for snapshot in whole]
    ahead = {at_ms for at_ms in moments if is_ahead(at_ms, world.now_ms)}  # these take no place away from others
    kept = kept_moments([at_ms for at_ms in moments if at_ms not in ahead], rule, world.calendar)
    kept |= kept_moments(sorted(ahead), rule, world.calendar)
    return [snapshot for snapshot in whole if snapshot.name.at_ms in kept or snapshot is whole[0]]


def _is_young(place: Target, name: str, now_ms: int) -> bool:
    """Whether it may be of a backup that is under way. Where that appears in one step, there is none."""
    if not place.keeps_at_once:
        return False
    written_ms = place.written_ms(object_path(name))
    return written_ms is None or written_ms > now_ms - UNNAMED_MS


def _lease(layout: Layout) -> AbstractContextManager[int | None]:
    return held(layout.lease, wait_seconds=_WAIT_SECONDS) if layout.exists() else nullcontext()
