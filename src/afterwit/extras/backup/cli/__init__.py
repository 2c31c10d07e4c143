"""`afterwit store backup`: copies of the store elsewhere. One registry line per module."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

_ENTRIES = {
    "create": Subcommand("afterwit.extras.backup.cli.create:create", "Make a snapshot of the store elsewhere."),
    "list": Subcommand("afterwit.extras.backup.cli.list:list_", "List the snapshots of a backup."),
    "verify": Subcommand("afterwit.extras.backup.cli.verify:verify", "Read a whole backup, and say what is damaged."),
    "restore": Subcommand("afterwit.extras.backup.cli.restore:restore", "Put a snapshot in the place of the store."),
    "prune": Subcommand("afterwit.extras.backup.cli.prune:prune", "Remove snapshots that are not to be kept."),
    "schedule": Subcommand(
        "afterwit.extras.backup.cli.schedule:schedule", "Let the first `learn` of a day make a backup."
    ),
}


@click.group(cls=LazyGroup, entries=_ENTRIES)
def backup() -> None:
    """Snapshots of the store in a folder, on a server or in a git remote."""
