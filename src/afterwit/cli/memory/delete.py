"""`afterwit memory delete`: forgets what is remembered under a key."""

import sys

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.memory.user import WRITE_EXITS, as_user, end_waiting
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.memory.api import Memory, memory


@click.command(
    cls=Command,
    examples=("afterwit memory delete preference.indent", "afterwit memory delete preference.indent --yes"),
    exits={**WRITE_EXITS, ExitCode.FAILED: "Nothing is remembered under that key, or the answer was no."},
)
@click.argument("key")
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@as_user
@as_json
@in_place
def delete(here: Here, key: str, is_agreed: bool, user: str | None, is_json: bool) -> None:
    """Forget what is remembered under a key.

    Shows it first, and asks. Storing it again brings it back.
    """
    with memory(here.world, user) as mine:
        if not is_agreed:
            _ask(mine, key)
        deleted = mine.delete(key)
    if is_json:
        print_json(deleted)
    if deleted.is_waiting:
        end_waiting(deleted.reason)
    if not deleted.is_deleted:
        talk(f"Nothing is remembered under {key}. `afterwit memory list` shows the keys.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if not is_json:
        talk(f"Forgot {key}.")


def _ask(mine: Memory, key: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask on. Add --yes.")
    entry = mine.retrieve(key).entry
    if entry:
        talk(f"{key}: {entry.value}")
    if not click.confirm("Forget this?", err=True):
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
