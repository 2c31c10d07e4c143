"""`afterwit store`: looking after the store itself. One registry line per module."""

import click

from afterwit.cli.commands import CliGroup
from afterwit.cli.store import evict, upkeep
from afterwit.cli.store.backup import backup


@click.group(cls=CliGroup)
def store() -> None:
    """Sizes, checks, rebuilding, giving space back, backups."""


for subcommand in (
    *(evict.evict, evict.dropped),
    *(upkeep.stat, upkeep.verify, upkeep.rebuild, upkeep.compact, upkeep.problems),
    backup,
):
    store.add_command(subcommand)
