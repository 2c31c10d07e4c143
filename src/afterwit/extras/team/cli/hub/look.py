"""`afterwit store hub status` and `search`: what a team has on its hub."""

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.team.cli.hub.address import EXITS, of_hub
from afterwit.extras.team.hub import look
from afterwit.extras.team.hub.address import HubAddress
from afterwit.extras.team.hub.rows import MemberSum
from afterwit.model.figures import human_count

_SUMS = (
    Column("member"),
    *(Column(name, is_number=True) for name in ("notes", "sessions", "ended well", "actions", "failed")),
    Column("tokens", is_number=True, gives_way=1),
    Column("digests", is_number=True, gives_way=2),
    Column("version", gives_way=3),
)
_LIMIT = 20


@command(examples=("afterwit store hub status", "afterwit store hub status --json"), exits=EXITS)
@reporting
@of_hub
def status(here: Here, address: HubAddress, is_json: bool) -> None:  # noqa: ARG001
    """What your team has on the hub: notes by repository, and sums by member.

    Sums are counts: sessions, actions, failures, tokens. No transcript is on the hub, and digests of sessions only of
    those who share them.
    """
    state = look.status(address)
    if is_json:
        print_json(state)
        return
    may = "read" if state.is_read_only else "read and write"
    print_line(f"hub {state.hub}, schema {state.schema}; you are {state.name} of {state.team}, and may {may}")
    for row in state.repos:
        print_line(f"{row.repo}: {human_count(row.notes, 'note')}")
    if state.members:
        print_table(_SUMS, [_row(row) for row in state.members])
    else:
        talk("Nothing is there yet. `afterwit store sync` brings the first notes.")


def _row(row: MemberSum) -> tuple[str, ...]:
    numbers = (row.notes, row.sessions, row.successes, row.actions, row.failures, row.tokens, row.digests)
    return row.name, *map(human_count, numbers), ", ".join(row.versions)


@command(
    examples=("afterwit store hub search press crates", "afterwit store hub search press OR crates"),
    exits=EXITS,
)
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="Show at most N; 0 means all."
)
@reporting
@of_hub
def search(here: Here, address: HubAddress, words: tuple[str, ...], limit: int, is_json: bool) -> None:  # noqa: ARG001
    """Find notes of your team by their words, and tasks of sessions that members share.

    All words have to be there; "quotes", OR and -word work as in a web search. What is found is not taken in: that does
    `afterwit store sync`.
    """
    hits = look.search(address, " ".join(words), limit or None)
    if is_json:
        print_json(hits)
        return
    for row in hits:
        print_text(f"{row.kind} {row.id} by {row.by}, {row.repo}: {row.text}", rest="  ")
    if not hits:
        talk("Nothing on the hub has these words.")
