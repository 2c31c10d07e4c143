"""`afterwit store backup`: copies of the store elsewhere. One registry line per module."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

_ENTRIES = {
    "create": Subcommand("store.backup.create:create", "Make a snapshot of the store elsewhere."),
    "list": Subcommand("store.backup.list:list_", "List the snapshots of a backup."),
    "verify": Subcommand("store.backup.verify:verify", "Read a whole backup, and say what is damaged."),
    "restore": Subcommand("store.backup.restore:restore", "Put a snapshot in the place of the store."),
    "prune": Subcommand("store.backup.prune:prune", "Remove snapshots that are not to be kept."),
    "schedule": Subcommand("store.backup.schedule:schedule", "Let the first `learn` of a day make a backup."),
}


@click.group(cls=LazyGroup, entries=_ENTRIES)
def backup() -> None:
    """Snapshots of the store in a folder, on a server or in a git remote."""
