"""`afterwit share`: notes that travel with a repository. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "init": Subcommand(".look:init", "Begin to share the notes of a repository through git."),
    "push": Subcommand(".look:push", "Write what you approved into the share."),
    "pull": Subcommand(".look:pull", "Take in what others share; it waits for your approval."),
    "status": Subcommand(".look:status", "What is shared, and what would leave or come in."),
    "log": Subcommand(".look:log", "Who shared, approved and rejected what, the latest first."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def share() -> None:
    """Share the notes of a repository through git."""
