"""`afterwit measure`: whether any of it helps. One file and one registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "backtest": Subcommand("measure.backtest:backtest", "Replay your own history: what would have been said?"),
    "experiment": Subcommand("measure.experiment:experiment", "Choose how much is skipped on purpose, to compare."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def measure() -> None:
    """Measure whether any of it helps."""
