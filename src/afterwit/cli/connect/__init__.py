"""`afterwit connect`: ties Afterwit to other programs. One file and one registry line per command."""

import click

from afterwit.cli.lazy import Entry, LazyGroup

COMMANDS = {
    "schedule": Entry("afterwit.cli.connect.schedule:schedule", "Let your own scheduler run `learn` regularly."),
    "status": Entry("afterwit.cli.connect.status:status", "Show what is connected."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def connect() -> None:
    """Connect Afterwit with other programs, and see what is connected."""
