"""`afterwit store`: looking after the store itself. One registry line per module."""

import click

from afterwit.cli.commands import CliGroup
from afterwit.cli.store import evict, upkeep
from afterwit.extras.backup.cli import backup
from afterwit.extras.team.cli import sync
from afterwit.extras.team.cli.hub import hub


@click.group(cls=CliGroup)
def store() -> None:
    """Sizes, checks, rebuilding, giving space back, backups; a hub."""


for subcommand in (
    *(evict.evict, evict.dropped),
    *(upkeep.stat, upkeep.verify, upkeep.rebuild, upkeep.compact, upkeep.problems),
    backup,
    *(sync.sync, hub),
):
    store.add_command(subcommand)
