"""`afterwit store backup prune`: kept by rule."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, agreed, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, talk
from afterwit.config.calendar import Calendar
from afterwit.extras.backup.cli.options import BackupPlace, placed
from afterwit.extras.backup.prune import KeepRule, PrunedBackup
from afterwit.extras.backup.prune import prune as run
from afterwit.model.figures import human_bytes, human_count


@command(
    examples=(
        "afterwit store backup prune --dry-run",
        "afterwit store backup prune --keep-daily 7 --keep-weekly 4 --keep-monthly 12",
    ),
    exits={
        ExitCode.FAILED: "No snapshot is whole, so none is removed; the backup cannot be used; or the answer was no."
    },
)
@click.option("--keep-daily", type=COUNT, metavar="N", help="Keep the last of each of N days. Default: the setting.")
@click.option("--keep-weekly", type=COUNT, metavar="N", help="Keep the last of each of N weeks. Default: the setting.")
@click.option(
    "--keep-monthly", type=COUNT, metavar="N", help="Keep the last of each of N months. Default: the setting."
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would go, and remove nothing.")
@agreed
@reporting
@timed
@placed
def prune(
    here: Here,
    at: BackupPlace,
    keep_daily: int | None,
    keep_weekly: int | None,
    keep_monthly: int | None,
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Remove snapshots that are not to be kept, and what only they needed.

    Kept is the last snapshot of each of the newest days, weeks and months that have one, for each machine that backs up
    there. The newest whole one stays in any case. What is removed cannot be brought back.
    """
    usual = here.world.settings.backup
    rule = KeepRule(
        usual.keep_daily if keep_daily is None else keep_daily,
        usual.keep_weekly if keep_weekly is None else keep_weekly,
        usual.keep_monthly if keep_monthly is None else keep_monthly,
    )

    def agree(planned: PrunedBackup) -> bool:
        if not is_json:
            _show_plan(here.calendar, planned)
        question = f"Remove {_amount(planned)} from {planned.target}? They cannot be brought back."
        return is_confirmed(question, is_agreed=is_agreed, verb="remove")

    done = run(here.world, at.target, at.keys, rule, agree, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was removed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
        return
    if is_dry_run:
        _show_plan(here.calendar, done)
    freed = "" if done.freed_bytes is None else f", {human_bytes(done.freed_bytes)}"
    kept = human_count(len(done.snapshots) - done.removed, "snapshot")
    print_line(f"{_amount(done)}{freed} {'would be ' if is_dry_run else ''}removed; {kept} kept.")
    if done.young_objects:
        young = human_count(done.young_objects, "object")
        talk(f"{young} without a use stay for a week: they may be of a backup that another machine is making.")


def _amount(pruned: PrunedBackup) -> str:
    return f"{human_count(pruned.removed, 'snapshot')} and {human_count(pruned.removed_objects, 'object')}"


def _show_plan(calendar: Calendar, planned: PrunedBackup) -> None:
    for snapshot in planned.snapshots:
        verb = "keep" if snapshot.is_kept else "remove"
        problem = f"  {snapshot.problem}" if snapshot.problem else ""
        print_line(f"{verb:<6}  {snapshot.id}  {calendar.moment(snapshot.created_ms)}{problem}")
