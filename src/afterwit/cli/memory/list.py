"""`afterwit memory list`: lists the keys."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.memory.user import as_user, say_reason
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.memory.api import memory


@click.command("list", cls=Command, examples=("afterwit memory list", "afterwit memory list --prefix preference."))
@click.option("--prefix", default="", metavar="TEXT", help="Only keys that begin so.")
@as_user
@as_json
@in_place
def list_keys(here: Here, prefix: str, user: str | None, is_json: bool) -> None:
    """List the keys."""
    with memory(here.world, user) as mine:
        found = mine.keys(prefix)
    if is_json:
        print_json(found)
    else:
        for key in found.keys:
            print_line(key)
        if not found.keys:
            talk("Nothing is remembered yet. `afterwit memory store KEY VALUE` remembers something.")
    say_reason(found.reason)
