"""`afterwit memory`: what users and agents want to be remembered. One file and one registry line per command."""

import click

from afterwit.cli.terminal.lazy import Entry, LazyGroup

COMMANDS = {
    "store": Entry("afterwit.cli.memory.store:store", "Remember something under a key."),
    "retrieve": Entry("afterwit.cli.memory.retrieve:retrieve", "Show what is remembered under a key."),
    "query": Entry("afterwit.cli.memory.query:query", "Find what is remembered, by words."),
    "list": Entry("afterwit.cli.memory.list:list_keys", "List the keys."),
    "delete": Entry("afterwit.cli.memory.delete:delete", "Forget what is remembered under a key."),
    "info": Entry("afterwit.cli.memory.info:info", "Show which backend is in use, who sees the data, what waits."),
    "evaluate": Entry("afterwit.cli.memory.evaluate:evaluate", "Measure the backends, and recommend one."),
    "call": Entry("afterwit.cli.memory.call:call", "Answer one call of the tool for agents, as JSON."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def memory() -> None:
    """Remember what users and agents prefer, across sessions."""
