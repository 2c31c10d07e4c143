"""`afterwit sessions tools`: the agents' tools, and what kind each is."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.sessions.names import EMPTY, EXITS, decide, merge_options
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_table, talk
from afterwit.sessions import identities


@click.command(
    cls=Command,
    examples=("afterwit sessions tools", "afterwit sessions tools --merge run_shell --into Bash"),
    exits=EXITS,
)
@merge_options
@as_json
@in_place
def tools(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show the agents' tools and what kind each is, or let one count as another.

    A merge applies to what is learned from now on; `afterwit store rebuild` applies it to everything.
    """
    decide(here, "tool", merged, into, undone)
    found = identities.tools(here.world)
    if is_json:
        print_json([row._asdict() for row in found])
    elif not found:
        talk(EMPTY)
    else:
        rows = [(row.agent, row.tool, row.kind, row.actions, row.failures) for row in found]
        print_table(("agent", "tool", "kind", "actions", "failed"), rows, frozenset({"actions", "failed"}))
