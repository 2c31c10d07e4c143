"""The health of the store itself: SQLite, damage, permissions, disk, lease, spool.

The usual look is quick: rows that are read anyway, the chain of the journal, whether every archived file is there. It
says what it left out. The full one is `store verify`, which reads every page of the database and every archived byte.
"""

import shutil
from collections.abc import Iterator

import apsw
import msgspec

from afterwit.engine.archive import verify
from afterwit.engine.doctor.findings import DoctorFinding, alarm, warning
from afterwit.store import archive_mark, journal, spool
from afterwit.store.checksums import foreign_permissions
from afterwit.store.database import schema_version
from afterwit.store.layout import Layout
from afterwit.store.rows.health import ArchiveState, database_bytes
from afterwit.store.store import Store, holder, is_held

_OLDEST_SAFE_SQLITE = (3, 51, 3)
_LEAST_FREE_BYTES = 200_000_000
_LONG_RUN_HOURS = 6
_HOUR_MS = 3_600_000
_LARGE_SPOOL_BYTES = 10_000_000
_SHOWN = 5
_UNCHECKED = ("database pages and rows", "archived bytes")


class StoreHealth(msgspec.Struct, kw_only=True):
    root: str
    sqlite_version: str
    schema_version: int | None = None  # None: the database cannot be read
    check: str  # quick, full
    unchecked: list[str]  # what only the full check looks at, unless it is one
    is_sound: bool = True
    database_bytes: int = 0
    archive_bytes: int = 0
    free_bytes: int
    journal_entries: int | None = None
    lease: str  # free, held, stale: left by a run that was killed
    lease_process: int | None
    last_run_ms: int | None  # when the lease was last taken or given back
    spool_files: int
    spool_bytes: int


def surroundings(layout: Layout, *, is_full: bool) -> StoreHealth:
    """What can be said without opening the database."""
    process, is_running = holder(layout.lease), is_held(layout.lease)
    files, size = spool.backlog(layout.spool)
    return StoreHealth(
        root=str(layout.root),
        sqlite_version=apsw.sqlite_lib_version(),
        check="full" if is_full else "quick",
        unchecked=[] if is_full else list(_UNCHECKED),
        free_bytes=shutil.disk_usage(layout.root).free,
        lease="held" if is_running else "stale" if process else "free",
        lease_process=process,
        last_run_ms=_changed_ms(layout),
        spool_files=files,
        spool_bytes=size,
    )


def examine_store(store: Store, state: ArchiveState, health: StoreHealth) -> Iterator[DoctorFinding]:
    """Fills in what the open store says, and yields what is wrong with it."""
    health.schema_version = schema_version(store.db)
    health.journal_entries = store.journal.count()
    health.archive_bytes = state.packed_bytes
    health.database_bytes = database_bytes(store.layout.database)
    if health.check == "full":
        return
    for belonging in verify.foreign_belongings(store):
        yield alarm(belonging.where, f"{belonging.what}.")
    for fault in journal.journal_faults(store.layout, store.db, store.journal):
        yield alarm("damaged", f"journal: {fault}. Nothing else holds it: restore journal.db from a backup.")
    heads = journal.heads_fault(store.layout)
    if heads:
        yield alarm("damaged", f"journal: {heads}.")
    for fault in archive_mark.faults(store):
        yield alarm("damaged", f"database: {fault}.")
    for file in verify.damaged_objects(store):
        yield alarm("damaged", f"archive: {file.path}: {file.error}")
    unknown = [finding.what for finding in verify.unknown_objects(store, state.unknown) if not finding.is_harmless]
    for what in unknown[:_SHOWN]:
        yield alarm("damaged", f"archive: {what}.")
    if len(unknown) > _SHOWN:
        more = f"{len(unknown) - _SHOWN:,} more files that the database does not know"
        yield alarm("damaged", f"archive: {more}; `afterwit store verify` lists them.")
    if state.missing:
        names = ", ".join(state.missing[:_SHOWN]) + (", …" if len(state.missing) > _SHOWN else "")
        what = "1 file is" if len(state.missing) == 1 else f"{len(state.missing):,} files are"
        yield alarm(
            "damaged",
            f"archive: {what} missing ({names}). After `afterwit store verify` the next `afterwit learn` reads again"
            " what the agents still have; restore the rest, or go on by `afterwit store rebuild --accept-archive`.",
        )


def fully_checked(layout: Layout) -> Iterator[DoctorFinding]:
    """Every byte. Waits for a run that is at work."""
    for finding in verify.verify(layout):
        if not finding.is_harmless and finding.where != "permissions":
            yield alarm("damaged", f"{finding.where}: {finding.what}. See `afterwit store verify`.")


def surrounding_findings(layout: Layout, health: StoreHealth, now_ms: int) -> Iterator[DoctorFinding]:
    for fault in foreign_permissions(layout):
        yield alarm("permissions", f"{fault}. The archive holds secrets as the agents logged them.")
    if tuple(int(part) for part in health.sqlite_version.split(".")[:3]) < _OLDEST_SAFE_SQLITE:
        yield warning("sqlite", f"SQLite {health.sqlite_version} can damage a database in use. Upgrade apsw.")
    needed = max(_LEAST_FREE_BYTES, 2 * health.database_bytes + health.archive_bytes // 5)
    if health.free_bytes < needed:
        free, wanted = health.free_bytes // 1_000_000, needed // 1_000_000
        yield warning("disk", f"{free:,} MB are free where the store lies; {wanted:,} MB should be. Free some space.")
    since_ms = health.last_run_ms or now_ms
    if health.lease == "held" and now_ms - since_ms > _LONG_RUN_HOURS * _HOUR_MS:
        hours = (now_ms - since_ms) // _HOUR_MS
        yield warning("lease", f"Process {health.lease_process} has been at work for {hours} hours. Look what it does.")
    if health.spool_bytes > _LARGE_SPOOL_BYTES:
        size = health.spool_bytes // 1_000_000
        yield warning("spool", f"{size:,} MB from hooks wait to be taken in. Run `afterwit learn`.")


def _changed_ms(layout: Layout) -> int | None:
    try:
        return layout.lease.stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
