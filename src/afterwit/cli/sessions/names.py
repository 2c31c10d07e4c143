"""What `repos`, `tools` and `users` share: merging a name into another, and taking it back."""

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import talk
from afterwit.sessions import identities

EMPTY = "No session yet. Run `afterwit learn` first."
EXITS = {ExitCode.FAILED: "There is no store yet, or it cannot be used."}


def merge_options(command: click.decorators.FC) -> click.decorators.FC:
    """`--merge NAME --into NAME` and `--undo NAME`."""
    for option in (
        click.option("--undo", "undone", metavar="NAME", help="Undo the merge of NAME."),
        click.option("--into", metavar="NAME", help="What --merge goes into."),
        click.option("--merge", "merged", metavar="NAME", help="Count NAME to the one given with --into."),
    ):
        command = option(command)
    return command


def decide(here: Here, subject: str, merged: str | None, into: str | None, undone: str | None) -> None:
    """Merges or undoes, as the options say; nothing without them."""
    if (merged is None) != (into is None):
        raise click.UsageError("--merge and --into go together.")
    if merged is not None and undone is not None:
        raise click.UsageError("Merge or undo, one at a time.")
    if merged is not None and into is not None:
        identities.merge(here.world, subject, merged, into)
        talk(f"{merged} now counts as {into}. Take it back with --undo {merged}.")
    if undone is not None:
        identities.unmerge(here.world, subject, undone)
        talk(f"{undone} stands for itself again.")
