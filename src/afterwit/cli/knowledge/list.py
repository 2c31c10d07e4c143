"""`afterwit knowledge list`: what is known, in one table."""

import click

from afterwit.cli.commands import COUNT, Command
from afterwit.cli.knowledge.filters import chosen
from afterwit.cli.knowledge.shapes import EMPTY, EXITS, show_listing
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count
from afterwit.knowledge.list import ItemFilter, ItemListing, listed


@click.command(
    "list",
    cls=Command,
    examples=(
        "afterwit knowledge list",
        "afterwit knowledge list --repo orchard --category pitfall",
        "afterwit knowledge list --status quarantined --json",
    ),
    exits=EXITS,
)
@click.option("--limit", type=COUNT, metavar="N", default=50, show_default=True, help="0 means all.")
@as_json
@in_place
@chosen
def list_items(here: Here, wanted: ItemFilter, limit: int, is_json: bool) -> None:
    """List what is known, the most believed first.

    Active items, unless asked otherwise. What came from elsewhere waits as quarantined, what has too little behind it
    as a candidate. `[known to the host]` marks what the repository's own instructions say already: it is not repeated
    to agents.
    """
    listing = listed(here.world, wanted, limit)
    show_listing(listing, is_json=is_json, nothing=_nothing(listing))


def _nothing(listing: ItemListing) -> str:
    if not listing.by_status:
        return EMPTY
    others = ", ".join(human_count(count, status, status) for status, count in listing.by_status.items())
    return f"No item fits. There are: {others}. `afterwit knowledge list --all` shows them."
