"""`afterwit memory`: what users and agents want to be remembered. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "store": Subcommand(".entries:store", "Remember something under a key."),
    "retrieve": Subcommand(".entries:retrieve", "Show what is remembered under a key."),
    "query": Subcommand(".entries:query", "Find what is remembered, by words."),
    "list": Subcommand(".entries:list_keys", "List the keys."),
    "delete": Subcommand(".entries:delete", "Forget what is remembered under a key."),
    "info": Subcommand(".entries:info", "Show which backend is in use, who sees the data, what waits."),
    "evaluate": Subcommand(".evaluate:evaluate", "Measure the backends, and recommend one."),
    "call": Subcommand(".entries:call", "Answer one call of the tool for agents, as JSON."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def memory() -> None:
    """Remember what users and agents prefer, across sessions."""
