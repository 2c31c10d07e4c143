"""`afterwit store`: looking after the store itself. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "compact": Subcommand("store.upkeep:compact", "Give unused space back."),
    "dropped": Subcommand(
        "store.evict:dropped", "List the originals that were dropped to stay within the storage budget."
    ),
    "evict": Subcommand("store.evict:evict", "Drop original logs from the archive until it is within its budget."),
    "problems": Subcommand("store.upkeep:problems", "List what could not be read: file, place and reason."),
    "rebuild": Subcommand("store.upkeep:rebuild", "Derive the database again from the archive and the journal."),
    "stat": Subcommand("store.upkeep:stat", "Show what the store takes and holds, and its content hash."),
    "verify": Subcommand("store.upkeep:verify", "Check database, archive and journal."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def store() -> None:
    """Sizes, checks, rebuilding, giving space back."""
