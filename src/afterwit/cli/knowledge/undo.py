"""`afterwit knowledge undo`: takes decisions back."""

import click

from afterwit.cli.commands import COUNT, Command
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.amounts import minute
from afterwit.cli.terminal.listing import Column, print_listing
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.curation import undo as undoing
from afterwit.curation.undo import Past

_COLUMNS = (
    Column("number", is_number=True),
    Column("when"),
    Column("undone", gives_way=1),
    Column("decision", is_cut=True),
)


@click.command(
    cls=Command,
    examples=("afterwit knowledge undo", "afterwit knowledge undo --list", "afterwit knowledge undo 17"),
    exits=EXITS,
)
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("--list", "is_listed", is_flag=True, help="Show what was decided, the latest first, and undo nothing.")
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 lists all.")
@as_json
@in_place
def undo(here: Here, number: int | None, is_listed: bool, limit: int, is_json: bool) -> None:
    """Take the latest decision about knowledge back, or an earlier one by its number.

    All that one command decided goes together. Undoing is a decision, too: `undo NUMBER` with the number of an undo
    brings back what it took.
    """
    found = undoing.past(here.world, limit) if is_listed else undoing.undo(here.world, number)
    if is_json:
        print_json(found)
    elif is_listed:
        _show(found)
    else:
        for one in found:
            talk(f"Undone: {one.what}")


def _show(found: list[Past]) -> None:
    if not found:
        talk("Nothing was decided yet.")
        return
    rows = [(str(one.number), minute(one.at_ms), "undone" if one.is_undone else "", one.what) for one in found]
    print_listing(_COLUMNS, rows)
