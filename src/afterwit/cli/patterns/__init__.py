"""`afterwit patterns`: what recurs, and the catalog of what people approved. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "detect": Subcommand("patterns.detect:detect", "Find what recurs, across agents first."),
    "review": Subcommand("patterns.review:review", "Decide about what was found, one after the other."),
    "list": Subcommand("patterns.look:list_", "The catalog: what was decided, and the file of each."),
    "show": Subcommand("patterns.look:show", "One pattern, with its evidence and its history."),
    "approve": Subcommand("patterns.curate:approve", "Take patterns into the catalog."),
    "reject": Subcommand("patterns.curate:reject", "Keep patterns from being asked about again."),
    "edit": Subcommand("patterns.curate:edit", "Change what a pattern says, which gives it a new version."),
    "merge": Subcommand("patterns.curate:merge", "Make one pattern of several."),
    "split": Subcommand("patterns.curate:split", "Make one pattern for every repository or agent."),
    "log": Subcommand("patterns.look:log", "What was decided, the latest first."),
    "diff": Subcommand("patterns.look:diff", "How two versions of a pattern differ."),
    "publish": Subcommand("patterns.publish:publish", "Hand approved patterns to agents: notes, skills, blocks."),
    "unpublish": Subcommand("patterns.publish:unpublish", "Take published patterns back."),
    "pack": Subcommand("patterns.pack:pack", "Write approved patterns into one file for another machine."),
    "install": Subcommand("patterns.pack:install", "Take patterns from a pack; each waits for your approval."),
    "undo": Subcommand("patterns.curate:undo", "Take the last decision back."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def patterns() -> None:
    """What recurs across sessions and agents, and the catalog of it."""
