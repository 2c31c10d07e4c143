"""`afterwit measure`: whether any of it helps. One file and one registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "effect": Subcommand(".effect:effect", "Does it help? Sessions that were told, and those that were not."),
    "backtest": Subcommand(".backtest:backtest", "Replay your own history: what would have been said?"),
    "skipping": Subcommand(".experiment:skipping", "Choose how much is skipped on purpose, to compare."),
    "experiment": Subcommand(".experiment:experiment", "Split sessions between ways of telling, and compare."),
    "report": Subcommand(".effect:report", "Write a page of figures."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def measure() -> None:
    """Measure whether any of it helps."""
