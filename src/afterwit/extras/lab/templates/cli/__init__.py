"""`afterwit templates`: tool calls that went well, to begin a session with. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand(".list:list_", "List the templates."),
    "show": Subcommand(".show:show", "Show one template: its calls and their results."),
    "create": Subcommand(".create:create", "Make a template of a session."),
    "auto": Subcommand(".auto:auto", "Propose templates from the best sessions of each type."),
    "stats": Subcommand(".stats:stats", "How often templates were used, and what came of it."),
    "apply": Subcommand(".apply:apply", "Print a template for a session that begins."),
    "delete": Subcommand(".delete:delete", "Delete a template."),
    "export": Subcommand(".files:export", "Write a template into a file, for others."),
    "import": Subcommand(".files:import_", "Take in somebody else's template, or approve one."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def templates() -> None:
    """Begin a session with tool calls that went well in an earlier one."""
