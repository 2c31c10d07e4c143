"""`afterwit memory`: what users and agents want to be remembered. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "store": Subcommand("afterwit.extras.memory.cli.entries:store", "Remember something under a key."),
    "retrieve": Subcommand("afterwit.extras.memory.cli.entries:retrieve", "Show what is remembered under a key."),
    "query": Subcommand("afterwit.extras.memory.cli.entries:query", "Find what is remembered, by words."),
    "list": Subcommand("afterwit.extras.memory.cli.entries:list_keys", "List the keys."),
    "delete": Subcommand("afterwit.extras.memory.cli.entries:delete", "Forget what is remembered under a key."),
    "info": Subcommand(
        "afterwit.extras.memory.cli.entries:info", "Show which backend is in use, who sees the data, what waits."
    ),
    "evaluate": Subcommand("afterwit.extras.memory.cli.evaluate:evaluate", "Measure the backends, and recommend one."),
    "call": Subcommand("afterwit.extras.memory.cli.entries:call", "Answer one call of the tool for agents, as JSON."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def memory() -> None:
    """Remember what users and agents prefer, across sessions."""
