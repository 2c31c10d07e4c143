"""`afterwit sessions users`: whose sessions they are, by pseudonym."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.sessions.names import EMPTY, EXITS, decide, merge_options
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_table, talk
from afterwit.sessions import identities


@click.command(
    cls=Command,
    examples=("afterwit sessions users", "afterwit sessions users --merge ada-laptop --into ada"),
    exits=EXITS,
)
@merge_options
@as_json
@in_place
def users(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show whose home folders the sessions ran in, or count one user as another.

    Users are shown by pseudonym. A merge names the user as the home folder does; the name it goes into is kept as you
    write it. It applies to what is learned from now on; `afterwit store rebuild` applies it to everything.
    """
    decide(here, "user", merged, into, undone)
    found = identities.users(here.world)
    if is_json:
        print_json([{"user": row.user, "agents": row.agents.split(","), "sessions": row.sessions} for row in found])
    elif not found:
        talk(EMPTY)
    else:
        rows = [(row.user or "–", row.sessions, row.agents.replace(",", ", ")) for row in found]
        print_table(("user", "sessions", "agents"), rows, frozenset({"sessions"}))
