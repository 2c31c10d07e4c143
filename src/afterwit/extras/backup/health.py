"""What there is to say of backups: when the last one was made, and whether it is old or the last try failed.

Goes by what the store notes itself, without asking the target. Where no backup was ever made or set up, nothing is
said.
"""

from collections.abc import Iterator

from afterwit.agents.registry import DAY_MS
from afterwit.config.world import World
from afterwit.engine.doctor.findings import DoctorFinding, warning
from afterwit.engine.doctor.status import BackupState
from afterwit.extras.backup.daily import last_backup

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
