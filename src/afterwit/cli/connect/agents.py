"""`afterwit connect agents`, or `afterwit connect <agent>`: lets agents hear from Afterwit."""

import shutil

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.connect.changing import How, carry_out
from afterwit.cli.connect.host import this_machine
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import talk
from afterwit.connect.plan import plan_connection, present


@click.command(
    cls=Command,
    examples=(
        "afterwit connect claude-code codex",
        "afterwit connect agents --all --dry-run",
        "afterwit connect claude-code --refuse --rewrite --yes",
    ),
    exits={ExitCode.FAILED: "A file cannot be changed, or the answer was no."},
)
@click.argument("names", metavar="[AGENT]...", nargs=-1)
@click.option("--all", "is_all", is_flag=True, help="Every agent that is found on this machine.")
@click.option("--refuse", "may_refuse", is_flag=True, help="Refuse a command once that is known to fail here.")
@click.option("--rewrite", "may_rewrite", is_flag=True, help="Rewrite a command into the proven one.")
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be changed, and change nothing.")
@as_json
@in_place
def agents(
    here: Here,
    names: tuple[str, ...],
    is_all: bool,
    may_refuse: bool,
    may_rewrite: bool,
    is_agreed: bool,
    is_dry_run: bool,
    is_json: bool,
) -> None:
    """Let agents hear from Afterwit.

    Puts hooks, a plugin or an extension into the agent's own settings, and the MCP server beside them. Shows the exact
    change first, asks, and keeps what others put there. `afterwit disconnect` leaves every file as it was before.
    Running it again brings up to date what is outdated; --refuse and --rewrite are off unless they are given.
    """
    if bool(names) == is_all:
        raise click.UsageError("Name the agents to connect, or say --all.")
    machine = this_machine(here, may_refuse=may_refuse, may_rewrite=may_rewrite)
    chosen = present(machine, lambda program: shutil.which(program) is not None) if is_all else dict.fromkeys(names)
    if not chosen:
        talk("No agent is found that can be connected. Name one: `afterwit connect claude-code`.")
    plans = [(name, lambda name=name: plan_connection(machine, name)) for name in chosen]
    carry_out(machine, plans, How(is_agreed, is_dry_run, is_json))
