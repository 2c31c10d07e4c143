"""`afterwit knowledge`: what was learned, and what people decide about it. One registry line per command."""

import click

from afterwit.cli.terminal.lazy import Entry, LazyGroup

_AT = "afterwit.cli.knowledge"
COMMANDS = {
    "list": Entry(f"{_AT}.list:list_items", "What is known, the most believed first."),
    "show": Entry(f"{_AT}.show:show", "One item with all its fields."),
    "why": Entry(f"{_AT}.why:why", "Every piece of evidence behind an item."),
    "search": Entry(f"{_AT}.search:search", "Find items by words."),
    "add": Entry(f"{_AT}.add:add", "Write an item yourself."),
    "edit": Entry(f"{_AT}.edit:edit", "Change what an item says, where it holds, what it fires on."),
    "approve": Entry(f"{_AT}.judge:approve", "Let items be used, whatever stands behind them."),
    "reject": Entry(f"{_AT}.judge:reject", "Take out items that should never have been made."),
    "pin": Entry(f"{_AT}.judge:pin", "Keep items in use, however old they get."),
    "unpin": Entry(f"{_AT}.judge:unpin", "Let items age again."),
    "retire": Entry(f"{_AT}.judge:retire", "Take out items that no longer hold."),
    "forget": Entry(f"{_AT}.forget:forget", "Take back all that was learned from a session, repository or origin."),
    "undo": Entry(f"{_AT}.undo:undo", "Take the latest decision back."),
    "rejected": Entry(f"{_AT}.rejected:rejected", "What was kept out, and why."),
    "reconcile": Entry(f"{_AT}.reconcile:reconcile", "What contradicts instruction files, and likely doubles."),
    "audit": Entry(f"{_AT}.audit:audit", "Judge a random sample, and see how much is junk."),
    "export": Entry(f"{_AT}.export:export", "Write a folder of JSON and Markdown, for people and for git."),
    "import": Entry(f"{_AT}.import_:import_", "Take in folders that others exported."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def knowledge() -> None:
    """What was learned, and what people decide about it."""
