"""What the commands of `memory` share: whose memory it is, and what is said about detours and waiting writes."""

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.options import Command
from afterwit.cli.terminal.output import talk

WRITE_EXITS = {
    ExitCode.PARTLY_DONE: "The backend failed: the write is kept on this machine and delivered by a later command."
}


def as_user(command: Command) -> Command:
    """Adds `--user`."""
    option = click.option("--user", metavar="NAME", help="Whose memory. Default: memory.user, else the login name.")
    return option(command)


def say_reason(reason: str) -> None:
    """Tells why an answer comes from this machine's own entries and writes that wait."""
    if reason:
        talk(f"{reason}\nThe answer comes from what this machine holds.")


def end_waiting(reason: str) -> None:
    """Ends the command whose write waits."""
    talk(f"{reason}\nThe write is kept on this machine and delivered by a later `afterwit memory` command.")
    raise click.exceptions.Exit(ExitCode.PARTLY_DONE)
