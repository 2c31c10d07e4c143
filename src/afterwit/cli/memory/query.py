"""`afterwit memory query`: finds what is remembered, by words."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.memory.user import as_user, say_reason
from afterwit.cli.terminal.listing import Column, print_listing
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.memory.api import memory
from afterwit.model.memory_entry import MOST_HITS

_COLUMNS = (Column("key", most=40), Column("value", is_cut=True))


@click.command(
    cls=Command, examples=("afterwit memory query running tests", "afterwit memory query indent --limit 3 --json")
)
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, MOST_HITS), default=10, show_default=True, help="At most so many.")
@as_user
@as_json
@in_place
def query(here: Here, words: tuple[str, ...], limit: int, user: str | None, is_json: bool) -> None:
    """Find what is remembered, by words.

    In any form and order; what fits best comes first.
    """
    with memory(here.world, user) as mine:
        found = mine.query(" ".join(words), limit)
    if is_json:
        print_json(found)
    elif found.hits:
        print_listing(_COLUMNS, [(hit.entry.key, " ".join(hit.entry.value.split())) for hit in found.hits])
    else:
        talk("Nothing that is remembered has any of these words.")
    say_reason(found.reason)
