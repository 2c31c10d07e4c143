"""`afterwit connect agents` (or `connect <agent>`) and `connect file`: lets agents hear from Afterwit."""

import shutil
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.connect.changes import Consent, carry_out, with_diff
from afterwit.cli.connect.machine import this_machine
from afterwit.cli.terminal.completing import connectable_agents
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import talk
from afterwit.connect.plan import plan_connection, plan_file, present


@command(
    examples=(
        "afterwit connect claude-code codex",
        "afterwit connect agents --all --dry-run",
        "afterwit connect claude-code --refuse --rewrite --yes",
    ),
    exits={ExitCode.FAILED: "A file cannot be changed, or the answer was no."},
)
@click.argument("names", metavar="[AGENT]...", nargs=-1, shell_complete=connectable_agents)
@click.option("--all", "is_all", is_flag=True, help="Every agent that is found on this machine.")
@click.option("--refuse", "may_refuse", is_flag=True, help="Refuse a command once that is known to fail here.")
@click.option("--rewrite", "may_rewrite", is_flag=True, help="Rewrite a command into the proven one.")
@agreed
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be changed, and change nothing.")
@with_diff
@reporting
def agents(
    here: Here,
    names: tuple[str, ...],
    is_all: bool,
    may_refuse: bool,
    may_rewrite: bool,
    is_agreed: bool,
    is_dry_run: bool,
    has_diff: bool,
    is_json: bool,
) -> None:
    """Let agents hear from Afterwit.

    Puts hooks, a plugin or an extension into the agent's own settings, and the MCP server beside them. Says what goes
    into which files, asks (the answer d shows the exact change), and keeps what others put there. `afterwit disconnect`
    leaves every file as it was before.
    Running it again brings up to date what is outdated; --refuse and --rewrite are off unless they are given.
    """
    if bool(names) == is_all:
        raise click.UsageError("Name the agents to connect, or say --all.")
    machine = this_machine(here, may_refuse=may_refuse, may_rewrite=may_rewrite)
    chosen = present(machine, lambda program: shutil.which(program) is not None) if is_all else dict.fromkeys(names)
    if not chosen:
        talk("No agent is found that can be connected. Name one: `afterwit connect claude-code`.")
    plans = [(name, lambda name=name: plan_connection(machine, name)) for name in chosen]
    carry_out(machine, plans, Consent(is_agreed, is_dry_run, is_json, has_diff))


@command(
    examples=("afterwit connect file AGENTS.md", "afterwit connect file CLAUDE.md --dry-run"),
    exits={ExitCode.FAILED: "A file cannot be changed, or the answer was no."},
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@agreed
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be changed, and change nothing.")
@with_diff
@reporting
def file(here: Here, paths: tuple[Path, ...], is_agreed: bool, is_dry_run: bool, has_diff: bool, is_json: bool) -> None:
    """Write a marked block into a file such as AGENTS.md.

    The block holds what was learned for the repository around the file. Running it again brings it up to date; the rest
    of the file is never touched. Where nothing was learned yet, nothing is written. `afterwit disconnect file
    AGENTS.md` takes it out.
    """
    machine = this_machine(here)
    plans = [(str(path), lambda path=path: plan_file(machine, path.absolute())) for path in paths]
    carry_out(machine, plans, Consent(is_agreed, is_dry_run, is_json, has_diff))
