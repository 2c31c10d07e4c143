"""`afterwit templates`: tool calls that went well, to begin a session with. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "list": Subcommand("templates.list:list_", "List the templates."),
    "show": Subcommand("templates.show:show", "Show one template: its calls and their results."),
    "create": Subcommand("templates.create:create", "Make a template of a session."),
    "auto": Subcommand("templates.auto:auto", "Propose templates from the best sessions of each type."),
    "stats": Subcommand("templates.stats:stats", "How often templates were used, and what came of it."),
    "apply": Subcommand("templates.apply:apply", "Print a template for a session that begins."),
    "delete": Subcommand("templates.delete:delete", "Delete a template."),
    "export": Subcommand("templates.files:export", "Write a template into a file, for others."),
    "import": Subcommand("templates.files:import_", "Take in somebody else's template, or approve one."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def templates() -> None:
    """Begin a session with tool calls that went well in an earlier one."""
