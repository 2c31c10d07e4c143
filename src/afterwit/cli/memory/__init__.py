"""`afterwit memory`: what users and agents want to be remembered. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "store": Subcommand("memory.entries:store", "Remember something under a key."),
    "retrieve": Subcommand("memory.entries:retrieve", "Show what is remembered under a key."),
    "query": Subcommand("memory.entries:query", "Find what is remembered, by words."),
    "list": Subcommand("memory.entries:list_keys", "List the keys."),
    "delete": Subcommand("memory.entries:delete", "Forget what is remembered under a key."),
    "info": Subcommand("memory.entries:info", "Show which backend is in use, who sees the data, what waits."),
    "evaluate": Subcommand("memory.evaluate:evaluate", "Measure the backends, and recommend one."),
    "call": Subcommand("memory.entries:call", "Answer one call of the tool for agents, as JSON."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def memory() -> None:
    """Remember what users and agents prefer, across sessions."""
