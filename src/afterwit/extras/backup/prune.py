"""`store backup prune`: removes snapshots that a rule does not keep, then objects that no snapshot names any more.

The rule keeps the last snapshot of each of the newest days, weeks and months that have any. It holds for each machine
that backs up there, and of each the newest snapshot that is whole stays, whatever the rule says. Lists of files go
before objects: a run that is stopped leaves objects without a use, and never a snapshot without its objects. A list
that is damaged keeps nothing: nothing can be restored from it. Objects that nothing names stay for some days: another
machine may have sent them for a list that is not there yet. With a store, its lease is held, so that no backup of it is
made meanwhile.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import msgspec

from afterwit.config.calendar import Calendar, week_of
from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.manifest import Manifest
from afterwit.extras.backup.targets.at import Target
from afterwit.extras.backup.vault import UNNAMED_MS, SnapshotName, Vault, is_ahead, object_path, vault_at
from afterwit.model.errors import BackupDamagedError, BackupError, UsageError
from afterwit.store.layout import Layout
from afterwit.store.store import hold_lease

_WAIT_SECONDS = 60


class KeepRule(NamedTuple):
    """How many days, weeks and months with a snapshot keep one."""

    daily: int
    weekly: int
    monthly: int


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


def prune_backup(
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
    with _lease(world.layout):
        vault = vault_at(world, target, keys)
        place = vault.target
        judged = list(_judge(vault))
        if judged and all(snapshot.problem for snapshot in judged):
            raise BackupError(
                f"No snapshot at {vault.place} is whole, so none is removed. `afterwit store backup verify` says what"
                " is wrong; `create` makes a new one."
            )
        kept = _keep(judged, rule, world)
        needed = (manifest for name, manifest, _ in judged if manifest is not None and name in kept)
        used = {packed.name for manifest in needed for packed in manifest.objects}
        unnamed = {name: size for name, size in vault.objects().items() if name not in used}
        unused = {name: size for name, size in unnamed.items() if not _is_young(place, name, world.now_ms)}
        sizes = unused.values()
        planned = PrunedBackup(
            target=vault.place,
            snapshots=[
                PrunedSnapshot(id=name.id, created_ms=name.at_ms, is_kept=name in kept, problem=problem)
                for name, _, problem in judged
            ],
            removed_objects=len(unused),
            young_objects=len(unnamed) - len(unused),
            freed_bytes=None if None in sizes else sum(size or 0 for size in sizes),
            is_dry_run=is_dry_run,
        )
        if is_dry_run or not (unused or planned.removed):
            return planned
        if not agree(planned):
            return None
        place.remove([name.name for name, _, _ in judged if name not in kept])
        # Asked again for each: another machine may just have sent the same bytes, which then have the same name.
        place.remove(object_path(name) for name in sorted(unused) if not _is_young(place, name, world.now_ms))
    return planned


def _judge(vault: Vault) -> Iterator[_Judged]:
    for name, manifest in vault.manifests():
        if isinstance(manifest, BackupDamagedError):
            yield _Judged(name, None, str(manifest))
            continue
        missing = [packed.name for packed in manifest.objects if not vault.has(packed)]
        yield _Judged(name, manifest, f"the object {missing[0]} is missing or has another size" if missing else "")


def _keep(judged: list[_Judged], rule: KeepRule, world: World) -> set[SnapshotName]:
    """By the rule, of those that can be read; with the newest whole one of each machine, or all where none is whole."""
    kept: set[SnapshotName] = set()
    for machine in {manifest.machine for _, manifest, _ in judged if manifest is not None}:
        own = [snapshot for snapshot in judged if snapshot.manifest and snapshot.manifest.machine == machine]
        whole = [snapshot.name for snapshot in own if not snapshot.problem]
        ahead = [name.at_ms for name in whole if is_ahead(name.at_ms, world.now_ms)]  # take no place from the others
        moments = moments_to_keep([name.at_ms for name in whole if name.at_ms not in ahead], rule, world.calendar)
        moments |= moments_to_keep(ahead, rule, world.calendar)
        kept.update(name for name in whole if name.at_ms in moments or name is whole[0])
        kept.update(snapshot.name for snapshot in own if not whole)
    return kept


def moments_to_keep(moments: Sequence[int], rule: KeepRule, calendar: Calendar) -> set[int]:
    """Of these moments of snapshots, those that stay."""

    spans: list[tuple[Callable[[int], str], int]] = [
        (lambda at_ms: calendar.date(at_ms).isoformat(), rule.daily),
        (lambda at_ms: week_of(calendar.date(at_ms)), rule.weekly),
        (lambda at_ms: calendar.date(at_ms).isoformat()[:7], rule.monthly),
    ]
    kept: set[int] = set()
    for span, count in spans:
        latest: dict[str, int] = {}
        for at_ms in sorted(moments, reverse=True):
            latest.setdefault(span(at_ms), at_ms)
        kept.update(sorted(latest.values(), reverse=True)[:count])
    return kept


def _is_young(place: Target, name: str, now_ms: int) -> bool:
    """Whether it may be of a backup that is under way."""
    written_ms = place.written_ms(object_path(name))
    return written_ms is None or written_ms > now_ms - UNNAMED_MS


def _lease(layout: Layout) -> AbstractContextManager[int | None]:
    return hold_lease(layout.lease, wait_seconds=_WAIT_SECONDS) if layout.exists() else nullcontext()
