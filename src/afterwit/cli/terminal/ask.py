"""Asking before something is done that is not easily taken back."""

import sys

import click

from afterwit.cli.terminal.output import talk


def is_confirmed(question: str, *, is_agreed: bool) -> bool:
    """The answer; no where nobody can give one, as in a job or with an empty standard input."""
    if is_agreed:
        return True
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        talk("\nNobody answered. Use --yes to go on without being asked.")
        return False
