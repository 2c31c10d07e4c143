"""`afterwit patterns`: what recurs, and the catalog of what people approved. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "detect": Subcommand("afterwit.extras.lab.patterns.cli.detect:detect", "Find what recurs, across agents first."),
    "review": Subcommand(
        "afterwit.extras.lab.patterns.cli.review:review", "Decide about what was found, one after the other."
    ),
    "list": Subcommand(
        "afterwit.extras.lab.patterns.cli.look:list_", "The catalog: what was decided, and the file of each."
    ),
    "show": Subcommand("afterwit.extras.lab.patterns.cli.look:show", "One pattern, with its evidence and its history."),
    "approve": Subcommand("afterwit.extras.lab.patterns.cli.curate:approve", "Take patterns into the catalog."),
    "reject": Subcommand(
        "afterwit.extras.lab.patterns.cli.curate:reject", "Keep patterns from being asked about again."
    ),
    "edit": Subcommand(
        "afterwit.extras.lab.patterns.cli.curate:edit", "Change what a pattern says, which gives it a new version."
    ),
    "merge": Subcommand("afterwit.extras.lab.patterns.cli.curate:merge", "Make one pattern of several."),
    "split": Subcommand(
        "afterwit.extras.lab.patterns.cli.curate:split", "Make one pattern for every repository or agent."
    ),
    "log": Subcommand("afterwit.extras.lab.patterns.cli.look:log", "What was decided, the latest first."),
    "diff": Subcommand("afterwit.extras.lab.patterns.cli.look:diff", "How two versions of a pattern differ."),
    "publish": Subcommand(
        "afterwit.extras.lab.patterns.cli.publish:publish", "Hand approved patterns to agents: notes, skills, blocks."
    ),
    "unpublish": Subcommand("afterwit.extras.lab.patterns.cli.publish:unpublish", "Take published patterns back."),
    "pack": Subcommand(
        "afterwit.extras.lab.patterns.cli.pack:pack", "Write approved patterns into one file for another machine."
    ),
    "install": Subcommand(
        "afterwit.extras.lab.patterns.cli.pack:install", "Take patterns from a pack; each waits for your approval."
    ),
    "undo": Subcommand("afterwit.extras.lab.patterns.cli.curate:undo", "Take the last decision back."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def patterns() -> None:
    """What recurs across sessions and agents, and the catalog of it."""
