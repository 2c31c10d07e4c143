"""Which commands report on the code: tests, linters, type checks, builds, and the state of a continuous integration."""

from afterwit.actions.check_table import reports_on_code
from afterwit.actions.shell.tree import Command


def is_checking(command: Command) -> bool:
    """Whether this command reports on the code."""
    return reports_on_code(command.program, command.subcommand, command.arguments, command.flags)
