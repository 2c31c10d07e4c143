"""`afterwit knowledge`: what was learned, and what people decide about it. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "list": Subcommand("knowledge.list:list_items", "What is known, the most believed first."),
    "show": Subcommand("knowledge.list:show", "One item with all its fields."),
    "why": Subcommand("knowledge.why:why", "Every piece of evidence behind an item."),
    "search": Subcommand("knowledge.list:search", "Find items by words."),
    "review": Subcommand("knowledge.review:review", "Decide about what waits, one note after the other."),
    "add": Subcommand("knowledge.curate:add", "Write an item yourself."),
    "edit": Subcommand("knowledge.curate:edit", "Change what an item says, where it holds, what it fires on."),
    "approve": Subcommand("knowledge.curate:approve", "Let items be used, whatever stands behind them."),
    "reject": Subcommand("knowledge.curate:reject", "Take out items that should never have been made."),
    "pin": Subcommand("knowledge.curate:pin", "Keep items in use, however old they get."),
    "unpin": Subcommand("knowledge.curate:unpin", "Let items age again."),
    "retire": Subcommand("knowledge.curate:retire", "Take out items that no longer hold."),
    "forget": Subcommand(
        "knowledge.forget:forget", "Take back all that was learned from a session, repository or origin."
    ),
    "undo": Subcommand("knowledge.forget:undo", "Take the latest decision back."),
    "rejected": Subcommand("knowledge.reconcile:rejected", "What was kept out, and why."),
    "reconcile": Subcommand("knowledge.reconcile:reconcile", "What contradicts instruction files, and likely doubles."),
    "audit": Subcommand("knowledge.audit:audit", "Judge a random sample, and see how much is junk."),
    "export": Subcommand("knowledge.files:export", "Write a folder of JSON and Markdown, for people and for git."),
    "import": Subcommand("knowledge.files:import_", "Take in folders that others exported."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def knowledge() -> None:
    """What was learned, and what people decide about it."""
