"""`afterwit patterns`: what recurs, and the catalog of what people approved. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "detect": Subcommand(".detect:detect", "Find what recurs, across agents first."),
    "review": Subcommand(".review:review", "Decide about what was found, one after the other."),
    "list": Subcommand(".look:list_", "The catalog: what was decided, and the file of each."),
    "show": Subcommand(".look:show", "One pattern, with its evidence and its history."),
    "approve": Subcommand(".curate:approve", "Take patterns into the catalog."),
    "reject": Subcommand(".curate:reject", "Keep patterns from being asked about again."),
    "edit": Subcommand(".curate:edit", "Change what a pattern says, which gives it a new version."),
    "merge": Subcommand(".curate:merge", "Make one pattern of several."),
    "split": Subcommand(".curate:split", "Make one pattern for every repository or agent."),
    "log": Subcommand(".look:log", "What was decided, the latest first."),
    "diff": Subcommand(".look:diff", "How two versions of a pattern differ."),
    "publish": Subcommand(".publish:publish", "Hand approved patterns to agents: notes, skills, blocks."),
    "unpublish": Subcommand(".publish:unpublish", "Take published patterns back."),
    "pack": Subcommand(".pack:pack", "Write approved patterns into one file for another machine."),
    "install": Subcommand(".pack:install", "Take patterns from a pack; each waits for your approval."),
    "undo": Subcommand(".curate:undo", "Take the last decision back."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def patterns() -> None:
    """What recurs across sessions and agents, and the catalog of it."""
