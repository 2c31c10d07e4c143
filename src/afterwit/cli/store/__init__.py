"""`afterwit store`: looking after the store itself. One registry line per module."""

import click

from afterwit.cli.commands import CliGroup
from afterwit.cli.store import evict, upkeep


@click.group(cls=CliGroup)
def store() -> None:
    """Sizes, checks, rebuilding, giving space back."""


for subcommand in (
    *(evict.evict, evict.dropped),
    *(upkeep.stat, upkeep.verify, upkeep.rebuild, upkeep.compact, upkeep.problems),
):
    store.add_command(subcommand)
