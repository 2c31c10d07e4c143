"""The backup that the first `learn` of a day makes, where the settings want one, and the pruning that goes with it.

A target that cannot be reached is tried again with a later run, an hour later at the earliest: `learn` is run often,
and waiting for a server that does not answer would slow down each. What went wrong is noted, and `doctor` says it.
"""

from typing import NamedTuple

from afterwit.config.world import World
from afterwit.extras.backup.create import CreatedBackup, create
from afterwit.extras.backup.keep import KeepRule
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.last import last_backup
from afterwit.extras.backup.prune import PrunedBackup, prune
from afterwit.extras.backup.targets.at import configured_target
from afterwit.model.learn_run import Progress
from afterwit.model.settings import BackupSettings

_AGAIN_MS = 3_600_000


class DailyBackup(NamedTuple):
    created: CreatedBackup
    pruned: PrunedBackup | None


def is_due(world: World) -> bool:
    """Whether one is wanted every day, and there is none of today."""
    wanted, last = world.settings.backup, last_backup(world.layout)
    if not wanted.daily or wanted.target is None or not world.layout.exists():
        return False
    if last.failed_ms is not None and 0 <= world.now_ms - last.failed_ms < _AGAIN_MS:
        return False
    return last.at_ms is None or world.calendar.date(last.at_ms) != world.calendar.today


def daily_backup(world: World, progress: Progress) -> DailyBackup:
    wanted = world.settings.backup
    target = configured_target(world)
    keys = BackupKeys(wanted.key_file)
    created = create(world, target, keys, progress)
    if not wanted.prune:
        return DailyBackup(created, None)
    return DailyBackup(created, prune(world, target, keys, rule_of(wanted), lambda _planned: True))


def rule_of(wanted: BackupSettings) -> KeepRule:
    return KeepRule(wanted.keep_daily, wanted.keep_weekly, wanted.keep_monthly)
