"""The daily backup, with the first `learn` of a day that reads everything. A failure is noted, and fails no `learn`."""

from afterwit.cli.terminal.output import talk
from afterwit.config.world import World
from afterwit.model.errors import AfterwitError
from afterwit.model.learn_run import Options, Progress


def back_up(world: World, options: Options, progress: Progress, *, is_json: bool) -> list[str]:
    """Says at once what it did; there is nothing to add to the report."""
    if not world.settings.backup.daily or options.is_dry_run or not options.is_whole:
        return []
    from afterwit.extras.backup.daily import daily_backup, is_due

    try:
        if is_due(world):
            done = daily_backup(world, progress)
            if not is_json:
                talk(f"Backed up to {done.created.target}: snapshot {done.created.snapshot}.")
    except AfterwitError as error:
        talk(f"No backup was made: {error}")
    return []
