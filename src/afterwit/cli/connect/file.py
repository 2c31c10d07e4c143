"""`afterwit connect file`: a marked block in a file that agents read."""

from pathlib import Path

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.connect.changing import How, carry_out
from afterwit.cli.connect.host import this_machine
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.connect.plan import plan_file


@click.command(
    cls=Command,
    examples=("afterwit connect file AGENTS.md", "afterwit connect file CLAUDE.md --dry-run"),
    exits={ExitCode.FAILED: "A file cannot be changed, or the answer was no."},
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be changed, and change nothing.")
@as_json
@in_place
def file(here: Here, paths: tuple[Path, ...], is_agreed: bool, is_dry_run: bool, is_json: bool) -> None:
    """Write a marked block into a file such as AGENTS.md.

    The block holds what was learned for the repository around the file. Running it again brings it up to date; the rest
    of the file is never touched. Where nothing was learned yet, nothing is written. `afterwit disconnect file
    AGENTS.md` takes it out.
    """
    machine = this_machine(here)
    plans = [(str(path), lambda path=path: plan_file(machine, path.absolute())) for path in paths]
    carry_out(machine, plans, How(is_agreed, is_dry_run, is_json))
