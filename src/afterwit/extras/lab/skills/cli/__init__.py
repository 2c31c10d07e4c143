"""`afterwit skills`: which skills are used, and what follows. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand(".look:list_skills", "List the skills that sessions use, and whether they help."),
    "show": Subcommand(".look:show", "One skill: what followed its uses, and for which work it is best."),
    "pairs": Subcommand(".look:show_pairs", "Skills that are used together, against each alone."),
    "trends": Subcommand(".look:show_trends", "Which skills got better or worse, and since when."),
    "evolve": Subcommand(".evolve:evolve", "Let skills get better: proposals, trials, and the way back."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def skills() -> None:
    """See which skills sessions use, and whether they help."""
