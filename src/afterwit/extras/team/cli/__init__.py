"""`afterwit share`: notes that travel with a repository. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "init": Subcommand("afterwit.extras.team.cli.init:init", "Begin to share the notes of a repository through git."),
    "push": Subcommand("afterwit.extras.team.cli.push:push", "Write what you approved into the share."),
    "pull": Subcommand("afterwit.extras.team.cli.pull:pull", "Take in what others share; it waits for your approval."),
    "status": Subcommand("afterwit.extras.team.cli.look:status", "What is shared, and what would leave or come in."),
    "log": Subcommand("afterwit.extras.team.cli.look:log", "Who shared, approved and rejected what, the latest first."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def share() -> None:
    """Share the notes of a repository through git."""
