"""`afterwit patterns`: what recurs, and the catalog of what people approved. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "detect": Subcommand(".look:detect_patterns", "Find what recurs, across agents first."),
    "review": Subcommand(".decide:review", "Decide about what was found, one after the other."),
    "list": Subcommand(".look:list_", "The catalog: what was decided, and what is published."),
    "show": Subcommand(".look:show", "One pattern, with its evidence and its history."),
    "approve": Subcommand(".decide:approve", "Take patterns into the catalog."),
    "reject": Subcommand(".decide:reject", "Keep patterns from being asked about again."),
    "edit": Subcommand(".decide:edit", "Change what a pattern says, which gives it a new version."),
    "merge": Subcommand(".decide:merge", "Make one pattern of several."),
    "split": Subcommand(".decide:split", "Make one pattern for every repository or agent."),
    "log": Subcommand(".look:log", "What was decided, the latest first."),
    "diff": Subcommand(".look:diff", "How two versions of a pattern differ."),
    "publish": Subcommand(".publish:publish", "Hand approved patterns to agents: notes, skills, blocks."),
    "unpublish": Subcommand(".publish:unpublish", "Take published patterns back."),
    "undo": Subcommand(".decide:undo", "Take the last decision back."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def patterns() -> None:
    """What recurs across sessions and agents, and the catalog of it."""
