"""Long results on a terminal go through the user's pager; what fits the screen, and pipes, do without."""

import shutil
import sys
from collections.abc import Iterable
from itertools import chain, islice

import click


def page(lines: Iterable[str]) -> None:
    """Prints the lines as they come, through `PAGER` if they are more than the terminal can show."""
    if not sys.stdout.isatty():
        for line in lines:
            click.echo(line)
        return
    rest = iter(lines)
    screen = list(islice(rest, shutil.get_terminal_size().lines - 1))
    if len(screen) < shutil.get_terminal_size().lines - 1:
        click.echo("\n".join(screen))
    else:
        click.echo_via_pager(f"{line}\n" for line in chain(screen, rest))
