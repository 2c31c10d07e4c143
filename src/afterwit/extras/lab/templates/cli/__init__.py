"""`afterwit templates`: tool calls that went well, to begin a session with. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand("afterwit.extras.lab.templates.cli.list:list_", "List the templates."),
    "show": Subcommand(
        "afterwit.extras.lab.templates.cli.show:show", "Show one template: its calls and their results."
    ),
    "create": Subcommand("afterwit.extras.lab.templates.cli.create:create", "Make a template of a session."),
    "auto": Subcommand(
        "afterwit.extras.lab.templates.cli.auto:auto", "Propose templates from the best sessions of each type."
    ),
    "stats": Subcommand(
        "afterwit.extras.lab.templates.cli.stats:stats", "How often templates were used, and what came of it."
    ),
    "apply": Subcommand("afterwit.extras.lab.templates.cli.apply:apply", "Print a template for a session that begins."),
    "delete": Subcommand("afterwit.extras.lab.templates.cli.delete:delete", "Delete a template."),
    "export": Subcommand("afterwit.extras.lab.templates.cli.files:export", "Write a template into a file, for others."),
    "import": Subcommand(
        "afterwit.extras.lab.templates.cli.files:import_", "Take in somebody else's template, or approve one."
    ),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def templates() -> None:
    """Begin a session with tool calls that went well in an earlier one."""
