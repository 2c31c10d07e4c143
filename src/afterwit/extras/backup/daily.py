"""The backup that the first `learn` of a day makes, where `[backup]` of config.toml wants one.

There is no job of its own: whoever lets `learn` run regularly has one already. A target that cannot be reached is tried
again with a later run, an hour later at the earliest: `learn` is run often, and waiting for a server that does not
answer would slow down each. What went wrong is noted, and `doctor` says it.
"""

from afterwit.cli.terminal.output import talk
from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.last import last_backup
from afterwit.model.errors import AfterwitError
from afterwit.model.learn_run import Options, Progress

_AGAIN_MS = 3_600_000


def back_up(world: World, options: Options, progress: Progress, *, is_json: bool) -> list[str]:
    """Says at once what it did; there is nothing to add to the report. A failure fails no `learn`."""
    if options.is_dry_run or not options.is_whole or not is_due(world):
        return []
    try:
        said = make_daily_backup(world, progress)
        if not is_json:
            talk(said)
    except AfterwitError as error:
        talk(f"No backup was made: {error}")
    return []


def is_due(world: World) -> bool:
    """Whether one is wanted every day, and there is none of today."""
    wanted = world.settings.backup
    if not wanted.daily or wanted.target is None or not world.layout.exists():
        return False
    last = last_backup(world.layout)
    if last.failed_ms is not None and 0 <= world.now_ms - last.failed_ms < _AGAIN_MS:
        return False
    return last.at_ms is None or world.calendar.date(last.at_ms) != world.calendar.today


def make_daily_backup(world: World, progress: Progress) -> str:
    from afterwit.extras.backup.create import make_snapshot
    from afterwit.extras.backup.prune import KeepRule, prune_backup
    from afterwit.extras.backup.targets.at import target_of_settings

    wanted = world.settings.backup
    target, keys = target_of_settings(world), BackupKeys(wanted.key_file)
    created = make_snapshot(world, target, keys, progress)
    if wanted.prune:
        rule = KeepRule(wanted.keep_daily, wanted.keep_weekly, wanted.keep_monthly)
        prune_backup(world, target, keys, rule, lambda _planned: True)
    return f"Backed up to {created.target}: snapshot {created.snapshot}."
