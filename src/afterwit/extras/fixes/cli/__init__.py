"""`afterwit guards`: whether fixes are guarded by tests. One registry line per command."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand(".look:list_fixes", "List the fixes of a repository, and whether tests guard them."),
    "check": Subcommand(".check:check", "Run the tests of fixes with and without the fix."),
    "show": Subcommand(".look:show", "One fix: its lines, its tests, its session, its verdict."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def guards() -> None:
    """Find out whether anything would notice if a fix were undone."""
