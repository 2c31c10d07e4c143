"""`afterwit share status` and `afterwit share log`: what is shared, and who said what."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.fixes.cli.places import placed
from afterwit.extras.fixes.history import FixPlace
from afterwit.extras.team.cli.words import EXITS, show_changes, warn_of
from afterwit.extras.team.look import LogRow, SharedRow
from afterwit.extras.team.look import log as run_log
from afterwit.extras.team.look import status as run_status
from afterwit.model.figures import human_count

_STATUS = (
    Column("id"),
    Column("here"),
    Column("approved by", gives_way=2),
    Column("note", takes_rest=True),
)
_LOG = (
    Column("when", gives_way=2),
    Column("who"),
    Column("what"),
    Column("id", gives_way=1),
    Column("note", takes_rest=True),
)
_LIMIT = 50


@command(examples=("afterwit share status", "afterwit share status --json"), exits=EXITS)
@reporting
@placed
def status(here: Here, place: FixPlace, is_json: bool) -> None:
    """What is shared, what you would share with `push`, and what `pull` would bring. Nothing is fetched or written."""
    state = run_status(here.world, place)
    bad = [row for pulled in state.incoming for row in pulled.bad]
    if is_json:
        print_json(state)
    else:
        if state.notes:
            print_table(_STATUS, [_row(row) for row in state.notes])
        warn_of(bad)
        for title, changes in (
            ("`afterwit share push` would share:", [change for out in state.outgoing for change in out.changes]),
            ("`afterwit share pull` would bring:", [change for into in state.incoming for change in into.changes]),
        ):
            if changes:
                print_line(title)
                show_changes(changes)
        talk(f"{human_count(len(state.notes), 'note')} shared.")
    if bad:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _row(row: SharedRow) -> tuple[str, ...]:
    here = f"rejected by {row.rejected_by}" if row.rejected_by else row.status
    return row.id, here, ", ".join(row.approved_by), row.fact


@command(examples=("afterwit share log", "afterwit share log --limit 0 --json"), exits=EXITS)
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="At most so many; 0 means all."
)
@reporting
@placed
def log(here: Here, place: FixPlace, limit: int, is_json: bool) -> None:
    """Who shared, approved and rejected what, the latest first."""
    rows = run_log(here.world, place)[: limit or None]
    if is_json:
        print_json(rows)
    elif rows:
        print_table(_LOG, [_logged(here, row) for row in rows])
    else:
        talk("Nothing was shared yet. `afterwit share push` shares what you approved.")


def _logged(here: Here, row: LogRow) -> tuple[str, ...]:
    return here.calendar.date(row.at_ms).isoformat(), row.by, row.what, row.id, row.fact
