"""`afterwit store hub`: a PostgreSQL server through which a team shares notes. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "init": Subcommand(".look:init", "Make a hub in a database, or bring one to a newer schema."),
    "status": Subcommand(".look:status", "What a team has on its hub, in sums."),
    "search": Subcommand(".look:search", "Find shared notes on the hub, by words."),
    "members": Subcommand(".look:members", "Who belongs to the teams of a hub."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def hub() -> None:
    """Share notes with a team through a PostgreSQL server."""
