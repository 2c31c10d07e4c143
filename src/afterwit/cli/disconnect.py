"""`afterwit disconnect`: takes out of agents' files what `connect` has put in."""

from pathlib import Path

import click

from afterwit.agents.descriptor import ConnectScope
from afterwit.agents.registry import installer_for
from afterwit.cli.commands import ExitCode, command
from afterwit.cli.connect.changes import Consent, carry_out, with_diff
from afterwit.cli.connect.machine import this_machine
from afterwit.cli.terminal.completing import connectable_agents
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import talk
from afterwit.connect.plan import FILE, Machine, connected, plan_removal


@command(
    examples=(
        "afterwit disconnect codex",
        "afterwit disconnect --all --yes",
        "afterwit disconnect file AGENTS.md",
    ),
    exits={ExitCode.FAILED: "A file cannot be changed, or the answer was no."},
)
@click.argument("names", metavar="[AGENT]... | file PATH...", nargs=-1, shell_complete=connectable_agents)
@click.option("--all", "is_all", is_flag=True, help="Everything that is connected, in all projects.")
@agreed
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be changed, and change nothing.")
@with_diff
@reporting
def disconnect(
    here: Here, names: tuple[str, ...], is_all: bool, is_agreed: bool, is_dry_run: bool, has_diff: bool, is_json: bool
) -> None:
    """Take out of agents' files what `connect` has put in.

    A file that nobody has changed since is byte for byte what it was before; from any other only what Afterwit wrote is
    taken out.
    """
    if bool(names) == is_all:
        raise click.UsageError("Name what to disconnect, or say --all.")
    machine = this_machine(here)
    chosen = connected(machine) if is_all else _named(machine, names)
    if not chosen and not is_json:
        talk("Nothing is connected.")
    plans = [(_name(*key), lambda key=key: plan_removal(machine, *key)) for key in chosen]
    carry_out(machine, plans, Consent(is_agreed, is_dry_run, is_json, has_diff))


def _named(machine: Machine, names: tuple[str, ...]) -> list[tuple[str, str]]:
    if names[0] == FILE:
        if len(names) == 1:
            raise click.UsageError("Name the file, such as: afterwit disconnect file AGENTS.md")
        return [(FILE, str(Path(name).absolute())) for name in names[1:]]
    installers = [installer_for(name) for name in dict.fromkeys(names)]
    return [(own.agent, str(machine.at.project) if own.scope is ConnectScope.PROJECT else "") for own in installers]


def _name(agent: str, project: str) -> str:
    return project if agent == FILE else f"{agent} in {project}" if project else agent
