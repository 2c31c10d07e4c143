"""`store evict`, and the end of every `learn`: keeps the archive of originals within its budget.

Three passes: what is older than the backstop, then what is above the soft cap, then what is above the hard cap. Only
originals that were analysed go, those of the least value per byte first, or the oldest. What was not analysed goes as
the last resort, above the hard cap alone: that is a loss of data, and report and exit code say so. What is pinned never
goes. Originals that were lost and gave no session may be taken in again where they fit under the hard cap.
"""

import shutil
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import PurePosixPath
from typing import NamedTuple

import apsw
import msgspec

from afterwit.agents.declared.description import Description
from afterwit.agents.prompt_history import HISTORY
from afterwit.capture.commit import remove_dropped_objects
from afterwit.capture.derived import COMPANION, origin_in
from afterwit.capture.logs import owner_of_archived
from afterwit.config.world import World
from afterwit.engine.archive.remove import PACKED_BYTES, FileToDrop, drop_originals, settle_dropped
from afterwit.model.errors import DamagedError, UsageError
from afterwit.model.learn_run import Dropped, Eviction, PassDone
from afterwit.model.settings import EvictionOrder, RetentionSettings
from afterwit.store.archive import Archive, archive_name
from afterwit.store.archive_mark import refuse_older
from afterwit.store.decide import catch_up
from afterwit.store.marks import PACKED, mark, put_mark
from afterwit.store.rows.files import (
    EVICTED,
    LOST,
    FileRow,
    RawFile,
    files_by_id,
    files_dropped,
    files_lost_unread,
    original_bytes_held,
    page_bytes,
    raw_files,
    sessions_in,
)
from afterwit.store.rows.health import archive_state, database_bytes
from afterwit.store.rows.sightings import all_digests
from afterwit.store.store import Store, hold_lease, open_store, require

_DAY_MS = 86_400_000


class Reason(StrEnum):
    """Why an original goes."""

    AGE = "age"
    SOFT_CAP = "soft-cap"
    HARD_CAP = "hard-cap"


class EvictionCandidate(NamedTuple):
    """One original with what belongs to it."""

    id: int
    packed_bytes: int
    ended_ms: int  # when what it tells of was over
    value: float = 0.0  # what it may still teach
    is_analysed: bool = False
    is_kept: bool = False  # pinned, or of a kind that is never given up
    companions: tuple[int, ...] = ()  # files that go with it

    @property
    def worth(self) -> float:
        return self.value / max(1, self.packed_bytes)


class EvictionPass(NamedTuple):
    """What one pass gives up, in this order."""

    reason: Reason
    candidates: list[EvictionCandidate]
    after_bytes: int

    @property
    def freed_bytes(self) -> int:
        return sum(candidate.packed_bytes for candidate in self.candidates)


class EvictionPlan(NamedTuple):
    before_bytes: int
    passes: list[EvictionPass]
    is_over: bool  # above the hard cap even so, because of what is kept

    @property
    def after_bytes(self) -> int:
        return self.passes[-1].after_bytes if self.passes else self.before_bytes

    @property
    def candidates(self) -> list[EvictionCandidate]:
        """All that goes."""
        return [candidate for eviction in self.passes for candidate in eviction.candidates]

    @property
    def lost(self) -> list[EvictionCandidate]:
        """What goes without having been analysed."""
        return [candidate for candidate in self.candidates if not candidate.is_analysed]


def plan_eviction(candidates: Iterable[EvictionCandidate], limits: RetentionSettings, now_ms: int) -> EvictionPlan:
    """What has to go now. The order of the candidates does not matter."""
    is_by_value = limits.order is EvictionOrder.VALUE
    everything = sorted(
        candidates, key=lambda candidate: (candidate.worth if is_by_value else 0, candidate.ended_ms, candidate.id)
    )
    analysed = [candidate for candidate in everything if candidate.is_analysed and not candidate.is_kept]
    last_resort = [candidate for candidate in everything if not candidate.is_analysed and not candidate.is_kept]
    oldest_ms = now_ms - limits.raw_max_age_days * _DAY_MS if limits.raw_max_age_days else 0
    before_bytes = used_bytes = sum(candidate.packed_bytes for candidate in everything)
    passes: list[EvictionPass] = []
    gone: set[int] = set()
    for reason, among, cap_bytes in (
        (Reason.AGE, [candidate for candidate in analysed if candidate.ended_ms < oldest_ms], -1),
        (Reason.SOFT_CAP, analysed, limits.raw_soft_cap_bytes),
        (Reason.HARD_CAP, [*analysed, *last_resort], limits.hard_cap_bytes),
    ):
        dropped: list[EvictionCandidate] = []
        for candidate in among:
            if candidate.id not in gone and used_bytes > cap_bytes:
                dropped.append(candidate)
                gone.add(candidate.id)
                used_bytes -= candidate.packed_bytes
        if dropped:
            passes.append(EvictionPass(reason, dropped, used_bytes))
    return EvictionPlan(before_bytes, passes, used_bytes > limits.hard_cap_bytes)


_WAIT_SECONDS = 60
_WORTH_PACKING = 8  # an eighth of the database has to be unused


def evict(
    world: World, agree: Callable[[Eviction], bool], *, soft_cap_bytes: int | None = None, is_dry_run: bool = False
) -> Eviction | None:
    """One eviction by hand; None if what was planned was not agreed to."""
    require(world.layout)
    limits = _limits(world.settings.retention, soft_cap_bytes)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        refuse_older(store)
        if not is_dry_run:
            remove_dropped_objects(store)
            settle_dropped(store)
            catch_up(store)
        planned = _Evicting(store, limits, world)
        report = planned.report(is_dry_run=is_dry_run)
        if is_dry_run or not report.dropped:
            return report
        if not agree(report):
            return None
        planned.carry_out()
        return planned.report(is_dry_run=False)


def keep_within_budget(store: Store, world: World, *, is_dry_run: bool = False) -> Eviction | None:
    """The eviction at the end of a run that holds the lease; None where there is nothing to do or to say, because the
    originals are below the soft cap, and none has an age to leave at."""
    limits = world.settings.retention
    is_small = _bytes_at_most(store) <= limits.raw_soft_cap_bytes
    if is_small and not limits.raw_max_age_days and bytes_distilled(store) <= limits.distilled_cap_bytes:
        return None
    planned = _Evicting(store, limits, world)
    if not is_dry_run:
        planned.carry_out()
    report = planned.report(is_dry_run=is_dry_run)
    if not is_dry_run:
        put_mark(store.db, PACKED, f"{original_bytes_held(store.db)} {report.after_bytes}")
    return report


def _bytes_at_most(store: Store) -> int:
    """What originals take in the archive, without a look at each: what they took when that was last done, and what came
    since, unpacked. Packing hardly ever makes anything larger, and then by less than the room below a cap is wide."""
    held = original_bytes_held(store.db)
    then, packed = map(int, (mark(store.db, PACKED) or "0 0").split())
    return packed + held - then if held >= then else held


def _limits(configured: RetentionSettings, soft_cap_bytes: int | None) -> RetentionSettings:
    if soft_cap_bytes is None:
        return configured
    if soft_cap_bytes > configured.hard_cap_bytes:
        raise UsageError(
            f"--soft-cap {soft_cap_bytes} is above the hard cap, {configured.hard_cap_bytes} bytes. Raise"
            " raw_hard_cap_bytes in [retention] of config.toml first."
        )
    hard_cap = configured.hard_cap_bytes
    return msgspec.structs.replace(configured, raw_soft_cap_bytes=soft_cap_bytes, raw_hard_cap_bytes=hard_cap)


class _Evicting:
    """One plan, and what became of it."""

    def __init__(self, store: Store, limits: RetentionSettings, world: World) -> None:
        self._store = store
        self._limits = limits
        self._now_ms = world.now_ms
        self._candidates = _candidates(store, limits, world.declared)
        self._plan: EvictionPlan = plan_eviction(self._candidates, limits, world.now_ms)
        file_ids = [candidate.id for candidate in self._plan.candidates]
        self._faults: dict[int, str] = {}
        self._files = files_by_id(store.db, file_ids)
        self._sessions = sessions_in(store.db, file_ids)

    def carry_out(self) -> None:
        files = [self._file_to_drop(candidate) for candidate in self._plan.candidates]
        if files:
            self._faults = drop_originals(self._store, files, self._now_ms)
            _give_space_back(self._store)

    def report(self, *, is_dry_run: bool) -> Eviction:
        plan, limits = self._plan, self._limits
        dropped = [
            self._drop(eviction, candidate)
            for eviction in plan.passes
            for candidate in eviction.candidates
            if candidate.id not in self._faults
        ]
        freed = sum(original.freed_bytes for original in dropped)
        kept = (candidate.packed_bytes for candidate in self._candidates if candidate.is_kept)
        return Eviction(
            is_dry_run=is_dry_run,
            soft_cap_bytes=limits.raw_soft_cap_bytes,
            hard_cap_bytes=limits.hard_cap_bytes,
            before_bytes=plan.before_bytes,
            after_bytes=plan.before_bytes - freed,
            freed_bytes=freed,
            kept_bytes=sum(kept),
            is_over_hard_cap=plan.is_over,
            passes=[self._done(eviction) for eviction in plan.passes],
            dropped=dropped,
            faults=[f"{self._files[file_id].path}: {fault}" for file_id, fault in self._faults.items()],
            data_loss=[name for lost in dropped if lost.is_data_loss for name in lost.sessions or [lost.path]],
            distilled_bytes=bytes_distilled(self._store),
            distilled_cap_bytes=limits.distilled_cap_bytes,
        )

    def _file_to_drop(self, candidate: EvictionCandidate) -> FileToDrop:
        companions = files_by_id(self._store.db, candidate.companions)
        state = EVICTED if candidate.is_analysed else LOST
        return FileToDrop(self._files[candidate.id], state, list(companions.values()))

    def _done(self, eviction: EvictionPass) -> PassDone:
        names = {name.id for candidate in eviction.candidates for name in self._sessions.get(candidate.id, [])}
        return PassDone(
            reason=eviction.reason,
            files=len(eviction.candidates),
            sessions=len(names),
            freed_bytes=eviction.freed_bytes,
            after_bytes=eviction.after_bytes,
        )

    def _drop(self, eviction: EvictionPass, candidate: EvictionCandidate) -> Dropped:
        file: FileRow = self._files[candidate.id]
        return Dropped(
            agent=file.agent,
            path=file.path,
            sessions=[name.native_id for name in self._sessions.get(candidate.id, [])],
            reason=eviction.reason,
            freed_bytes=candidate.packed_bytes,
            original_bytes=file.held_bytes,
            sha256=file.sha256,
            is_data_loss=not candidate.is_analysed,
        )


def bytes_distilled(store: Store) -> int:
    """What the database and the remains of dropped originals take."""
    rows = files_by_id(store.db, [file.id for file in files_dropped(store.db)]).values()
    remains = sum(store.archive.size(row.object_name) for row in rows)
    return database_bytes(store.layout.database) + remains


def _candidates(store: Store, limits: RetentionSettings, declared: tuple[Description, ...]) -> list[EvictionCandidate]:
    """What the archive holds, companions with the present generation of the transcript that they belong to."""
    rows = raw_files(store.db)
    packed = {row.id: store.archive.size(archive_name(row.key, row.generation)) for row in rows}
    latest = {row.key: row.id for row in rows if row.role != COMPANION}
    companions: dict[int, list[int]] = {}
    alone: list[RawFile] = []
    for row in rows:
        owner = latest.get(_owner_key(store.archive, row, declared)) if row.role == COMPANION else row.id
        if owner is None:
            alone.append(row)
        elif owner != row.id:
            companions.setdefault(owner, []).append(row.id)
    transcripts = [row for row in rows if row.role != COMPANION]
    names = sessions_in(store.db, [row.id for row in transcripts])
    may_go = sum(packed.values()) > limits.raw_soft_cap_bytes
    worth = _values(store.db) if limits.order is EvictionOrder.VALUE and may_go else {}
    return [
        EvictionCandidate(
            id=row.id,
            packed_bytes=packed[row.id] + sum(packed[companion] for companion in companions.get(row.id, ())),
            ended_ms=row.mtime_ns // 1_000_000 if row.ended_ms is None else row.ended_ms,
            value=sum(worth.get(name.id, 0.0) for name in names.get(row.id, [])),
            is_analysed=bool(row.sessions) and not row.undigested,
            is_kept=bool(row.pinned) or PurePosixPath(row.path).name == HISTORY.name or row.role == COMPANION,
            companions=tuple(companions.get(row.id, ())),
        )
        for row in (*transcripts, *alone)
    ]


def _owner_key(archive: Archive, row: RawFile, declared: tuple[Description, ...]) -> bytes:
    try:
        owner = owner_of_archived(origin_in(archive.header(archive_name(row.key, row.generation))), declared)
    except DamagedError:
        return b""
    return owner[0] if owner else b""


def _values(db: apsw.Connection) -> dict[int, float]:
    """What each session may still teach that no other session does."""
    from afterwit.digest.door import (
        unpack,  # with the digester, which nobody needs who asks what the archive takes
    )
    from afterwit.digest.value import findings_of, values

    return values({row.session_id: findings_of(unpack(row.body)) for row in all_digests(db)})


def _give_space_back(store: Store) -> None:
    """Packs the database where that gains much and there is room for the copy that it takes."""
    unused, total = page_bytes(store.db)
    if unused * _WORTH_PACKING >= total and shutil.disk_usage(store.layout.root).free > 2 * total:
        store.db.execute("VACUUM")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def recapturable(store: Store, limits: RetentionSettings) -> dict[bytes, str]:
    """The keys of lost originals for which there is room, each with its agent. The newest come first, because
    agents delete the old ones."""
    lost = files_by_id(store.db, files_lost_unread(store.db)).values()
    if not lost:
        return {}
    room = limits.hard_cap_bytes - archive_state(store.db, store.archive).original_bytes
    fitting: dict[bytes, str] = {}
    for row in sorted(lost, key=lambda row: (-row.mtime_ns, row.key)):
        size = _count_packed(store, row)
        if size <= room:
            room -= size
            fitting[row.key] = row.agent
    return fitting


def _count_packed(store: Store, row: FileRow) -> int:
    """What it took in the archive. Where the remains do not say, no more than its unpacked bytes."""
    try:
        header = store.archive.header(row.object_name)
    except DamagedError:
        return row.dropped_bytes
    return int(header.get(PACKED_BYTES, row.dropped_bytes))
