"""When the last backup of a store was made, where it lies, and what went wrong since: a small file in the store.

For those who look at the state of things: whether there is a backup at all is not asked of its target, which may be far
away.
"""

from collections.abc import Iterator

import msgspec

from afterwit.agents.registry import DAY_MS
from afterwit.config.world import World
from afterwit.engine.doctor.findings import DoctorFinding, warning
from afterwit.engine.doctor.status import BackupState
from afterwit.store.atomic import replace_file
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular


class LastBackup(msgspec.Struct, frozen=True, kw_only=True):
    target: str = ""  # of the last good one
    at_ms: int | None = None
    snapshot: str = ""
    failed_ms: int | None = None  # of a try since then
    failed_target: str = ""
    failure: str = ""


def last_backup(layout: Layout) -> LastBackup:
    """Without any, all of it is empty; also where the file cannot be read."""
    try:
        return msgspec.json.decode(read_regular(layout.last_backup), type=LastBackup)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return LastBackup()


def note_backup(layout: Layout, target: str, snapshot: str, at_ms: int) -> None:
    _write(layout, LastBackup(target=target, at_ms=at_ms, snapshot=snapshot))


def note_failure(layout: Layout, target: str, failure: str, at_ms: int) -> None:
    before = last_backup(layout)
    _write(layout, msgspec.structs.replace(before, failed_ms=at_ms, failed_target=target, failure=failure))


def _write(layout: Layout, last: LastBackup) -> None:
    layout.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(layout.last_backup, msgspec.json.encode(last), is_durable=False)


OLD_DAYS = 7
_OLD_DAILY_DAYS = 3  # where the settings want one every day


def backup_state(world: World) -> BackupState | None:
    """None, where no backup was ever made, tried or set up."""
    last, wanted = last_backup(world.layout), world.settings.backup
    target = last.target or last.failed_target or wanted.target or ""
    if not target:
        return None
    return BackupState(
        target=target,
        made_ms=last.at_ms,
        is_daily=wanted.daily and wanted.target is not None,
        failed_ms=last.failed_ms,
        failure=last.failure,
    )


def backup_findings(world: World) -> Iterator[DoctorFinding]:
    state = backup_state(world)
    if state is None:
        return
    if state.failed_ms is not None:
        yield warning("backup-failed", f"The last try to make a backup failed: {state.failure}")
    if state.made_ms is None:
        if state.failed_ms is None:
            yield warning(
                "backup-old", f"No backup was made at {state.target} yet. `afterwit store backup create` makes one."
            )
        return
    days = (world.now_ms - state.made_ms) // DAY_MS
    if days >= (_OLD_DAILY_DAYS if state.is_daily else OLD_DAYS):
        yield warning(
            "backup-old",
            f"The last backup is {days} days old ({state.target}). `afterwit store backup create` makes a new one;"
            " `daily = true` under [backup] in config.toml lets `learn` make one every day.",
        )
