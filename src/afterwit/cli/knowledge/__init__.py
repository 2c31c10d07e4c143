"""`afterwit knowledge`: what was learned, and what people decide about it. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand("afterwit.cli.knowledge.list:list_items", "List the notes, the most certain first."),
    "show": Subcommand("afterwit.cli.knowledge.list:show", "One note with all its details."),
    "why": Subcommand("afterwit.cli.knowledge.why:why", "All evidence behind a note."),
    "search": Subcommand("afterwit.cli.knowledge.list:search", "Find notes by words."),
    "review": Subcommand("afterwit.cli.knowledge.review:review", "Decide about what waits, one note after the other."),
    "add": Subcommand("afterwit.cli.knowledge.curate:add", "Write a note yourself."),
    "edit": Subcommand(
        "afterwit.cli.knowledge.curate:edit", "Change what a note says, what it applies to, when it is shown."
    ),
    "approve": Subcommand(
        "afterwit.cli.knowledge.curate:approve", "Let notes be used, however little stands behind them."
    ),
    "reject": Subcommand("afterwit.cli.knowledge.curate:reject", "Take out notes that should never have been made."),
    "pin": Subcommand("afterwit.cli.knowledge.curate:pin", "Keep notes in use, however old they get."),
    "unpin": Subcommand("afterwit.cli.knowledge.curate:unpin", "Let notes grow old again."),
    "retire": Subcommand("afterwit.cli.knowledge.curate:retire", "Take out notes that are no longer true."),
    "forget": Subcommand(
        "afterwit.cli.knowledge.forget:forget", "Take back all that was learned from a session, repository or origin."
    ),
    "undo": Subcommand("afterwit.cli.knowledge.forget:undo", "Take the latest decision back."),
    "rejected": Subcommand("afterwit.cli.knowledge.reconcile:rejected", "What did not become a note, and why."),
    "reconcile": Subcommand(
        "afterwit.cli.knowledge.reconcile:reconcile",
        "What contradicts instruction files, and notes that may say the same.",
    ),
    "audit": Subcommand("afterwit.cli.knowledge.audit:audit", "Judge a random sample, and see how much is junk."),
    "export": Subcommand(
        "afterwit.cli.knowledge.files:export", "Write a folder of JSON and Markdown, for people and for git."
    ),
    "import": Subcommand("afterwit.cli.knowledge.files:import_", "Take in folders that others exported."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def knowledge() -> None:
    """What was learned, and what people decide about it."""
