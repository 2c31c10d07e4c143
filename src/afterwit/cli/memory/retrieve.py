"""`afterwit memory retrieve`: shows what is remembered under a key."""

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.memory.user import as_user, say_reason
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.memory.api import memory
from afterwit.model.memory_entry import is_persons


@click.command(
    cls=Command,
    examples=("afterwit memory retrieve preference.indent", "afterwit memory retrieve preference.indent --json"),
    exits={ExitCode.FAILED: "Nothing is remembered under that key."},
)
@click.argument("key")
@as_user
@as_json
@in_place
def retrieve(here: Here, key: str, user: str | None, is_json: bool) -> None:
    """Show what is remembered under a key."""
    with memory(here.world, user) as mine:
        found = mine.retrieve(key)
    if is_json:
        print_json(found)
    elif found.entry:
        print_line(found.entry.value)
    if found.entry and not is_persons(found.entry.metadata):
        talk(f"No person stored this. `afterwit memory store {key} VALUE` makes it yours; agents get it quoted.")
    say_reason(found.reason)
    if found.entry is None:
        talk(f"Nothing is remembered under {key}. `afterwit memory list` shows the keys.")
        raise click.exceptions.Exit(ExitCode.FAILED)
