"""`afterwit store`: looking after the store itself. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "evict": Subcommand(".upkeep:evict", "Drop original logs from the archive until it is within its budget."),
    "dropped": Subcommand(".upkeep:dropped", "List the originals that were dropped to stay within the storage budget."),
    "stat": Subcommand(".upkeep:stat", "Show what the store takes and holds, and its content hash."),
    "verify": Subcommand(".upkeep:verify", "Check database, archive and journal."),
    "rebuild": Subcommand(".upkeep:rebuild", "Make the database again from the archive and the journal."),
    "compact": Subcommand(".upkeep:compact", "Give unused space back."),
    "problems": Subcommand(".upkeep:problems", "List what could not be read: file, byte and reason."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS, extras_below="store")
def store() -> None:
    """Sizes, checks, rebuilding, giving space back, backups; a hub."""
