"""`afterwit knowledge`: what was learned, and what people decide about it. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "list": Subcommand("knowledge.list:list_items", "List the notes, the most certain first."),
    "show": Subcommand("knowledge.list:show", "One note with all its details."),
    "why": Subcommand("knowledge.why:why", "All evidence behind a note."),
    "search": Subcommand("knowledge.list:search", "Find notes by words."),
    "review": Subcommand("knowledge.review:review", "Decide about what waits, one note after the other."),
    "add": Subcommand("knowledge.curate:add", "Write a note yourself."),
    "edit": Subcommand("knowledge.curate:edit", "Change what a note says, what it applies to, when it is shown."),
    "approve": Subcommand("knowledge.curate:approve", "Let notes be used, however little stands behind them."),
    "reject": Subcommand("knowledge.curate:reject", "Take out notes that should never have been made."),
    "pin": Subcommand("knowledge.curate:pin", "Keep notes in use, however old they get."),
    "unpin": Subcommand("knowledge.curate:unpin", "Let notes grow old again."),
    "retire": Subcommand("knowledge.curate:retire", "Take out notes that are no longer true."),
    "forget": Subcommand(
        "knowledge.forget:forget", "Take back all that was learned from a session, repository or origin."
    ),
    "undo": Subcommand("knowledge.forget:undo", "Take the latest decision back."),
    "rejected": Subcommand("knowledge.reconcile:rejected", "What did not become a note, and why."),
    "reconcile": Subcommand(
        "knowledge.reconcile:reconcile", "What contradicts instruction files, and notes that may say the same."
    ),
    "audit": Subcommand("knowledge.audit:audit", "Judge a random sample, and see how much is junk."),
    "export": Subcommand("knowledge.files:export", "Write a folder of JSON and Markdown, for people and for git."),
    "import": Subcommand("knowledge.files:import_", "Take in folders that others exported."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def knowledge() -> None:
    """What was learned, and what people decide about it."""
