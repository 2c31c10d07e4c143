"""`afterwit knowledge search`: finds items by words."""

import click

from afterwit.cli.commands import COUNT, Command
from afterwit.cli.knowledge.filters import chosen
from afterwit.cli.knowledge.shapes import EXITS, show_listing
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.knowledge.list import ItemFilter, searched


@click.command(
    cls=Command,
    examples=("afterwit knowledge search migration lock", "afterwit knowledge search tests --all --json"),
    exits=EXITS,
)
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 means all.")
@as_json
@in_place
@chosen
def search(here: Here, wanted: ItemFilter, words: tuple[str, ...], limit: int, is_json: bool) -> None:
    """Find items by words, in any form: all must occur. What fits best comes first."""
    listing = searched(here.world, " ".join(words), wanted, limit)
    nothing = "No item has these words. Fewer words find more, and --all looks at items of every status."
    show_listing(listing, is_json=is_json, nothing=nothing)
