"""`afterwit knowledge`: what was learned, and what people decide about it. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand(".list:list_items", "List the notes, the most certain first."),
    "show": Subcommand(".list:show", "One note with all its details."),
    "why": Subcommand(".why:why", "All evidence behind a note."),
    "search": Subcommand(".list:search", "Find notes by words."),
    "review": Subcommand(".review:review", "Decide about what waits, one note after the other."),
    "add": Subcommand(".curate:add", "Write a note yourself."),
    "edit": Subcommand(".curate:edit", "Change what a note says, what it applies to, when it is shown."),
    "approve": Subcommand(".curate:approve", "Let notes be used, however little stands behind them."),
    "reject": Subcommand(".curate:reject", "Take out notes that should never have been made."),
    "pin": Subcommand(".curate:pin", "Keep notes in use, however old they get."),
    "unpin": Subcommand(".curate:unpin", "Let notes grow old again."),
    "retire": Subcommand(".curate:retire", "Take out notes that are no longer true."),
    "forget": Subcommand(".curate:forget", "Take back all that was learned from a session, repository or origin."),
    "undo": Subcommand(".curate:undo", "Take the latest decision back."),
    "rejected": Subcommand(".files:rejected", "What did not become a note, and why."),
    "reconcile": Subcommand(".files:reconcile", "What contradicts instruction files, and notes that may say the same."),
    "audit": Subcommand(".review:audit", "Judge a random sample, and see how much is junk."),
    "export": Subcommand(".files:export", "Write a folder of JSON and Markdown, for people and for git."),
    "import": Subcommand(".files:import_", "Take in folders that others exported."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def knowledge() -> None:
    """What was learned, and what people decide about it."""
