"""`afterwit store backup`: copies of the store elsewhere. One registry line per module."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

_ENTRIES = {
    "create": Subcommand(".snapshots:create", "Make a snapshot of the store elsewhere."),
    "list": Subcommand(".snapshots:list_", "List the snapshots of a backup."),
    "verify": Subcommand(".snapshots:verify", "Read a whole backup, and say what is damaged."),
    "restore": Subcommand(".restore:restore", "Put a snapshot in the place of the store."),
    "prune": Subcommand(".snapshots:prune", "Remove snapshots that are not to be kept."),
}


@click.group(cls=LazyGroup, package=__name__, entries=_ENTRIES)
def backup() -> None:
    """Snapshots of the store in a folder or on a server."""
