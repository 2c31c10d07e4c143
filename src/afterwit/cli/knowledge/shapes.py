"""What the commands of `knowledge` share: how items look in tables and as JSON, and what is said without any."""

from typing import Any

import msgspec

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.listing import Column, print_listing
from afterwit.cli.terminal.output import human_count, print_json, talk
from afterwit.knowledge.documents import written
from afterwit.knowledge.list import ItemListing
from afterwit.model.knowledge import Item, ScopeKind

EXITS = {
    ExitCode.FAILED: "There is no store yet, or it cannot be used.",
    ExitCode.WRONG_USE: "Wrong use, or no such item. Nothing is decided.",
}
EMPTY = "Nothing is known yet. `afterwit learn` harvests what your agents have logged; two sessions must agree."
_ONE_STATUS = (
    Column("id"),
    Column("conf", is_number=True),
    Column("where", gives_way=1, most=16),
    Column("category", gives_way=2),
    Column("status", gives_way=3),
    Column("fact", is_cut=True, least=40),
)
_SEVERAL = (*_ONE_STATUS[:4], Column("status"), Column("fact", is_cut=True, least=24))


def item_shape(item: Item, *, has_evidence: bool = True) -> dict[str, Any]:
    """The shape of an item in `index.json`, with what only this store knows of it."""
    shape: dict[str, Any] = msgspec.to_builtins(written(item))
    if not has_evidence:
        shape.pop("evidence", None)
    return shape | {
        "stories": len({piece.session.story for piece in item.evidence if not piece.is_against}),
        "reason": item.reason,
        "merged": list(item.merged),
        "is_pinned": item.is_pinned,
        "is_known_to_host": item.is_known_to_host,
    }


def show_listing(listing: ItemListing, *, is_json: bool, nothing: str) -> None:
    """A table, or JSON; `nothing` is said where nothing fits."""
    if is_json:
        items = [item_shape(item, has_evidence=False) for item in listing.items]
        print_json({"items": items, "found": listing.total, "by_status": listing.by_status})
    elif listing.items:
        is_one = len({item.status for item in listing.items}) == 1
        print_listing(_ONE_STATUS if is_one else _SEVERAL, [_row(item) for item in listing.items])
        talk(_totals(listing))
    else:
        talk(nothing)


def where(item: Item) -> str:
    """Where an item holds, in a word."""
    kind, name = item.scope
    return "everywhere" if kind is ScopeKind.GLOBAL else name.rpartition("/")[2]


def _row(item: Item) -> tuple[str, ...]:
    marks = ("[pinned] " if item.is_pinned else "") + ("[known to the host] " if item.is_known_to_host else "")
    return (item.id, f"{item.confidence:.2f}", where(item), item.category, item.status, marks + item.sentence)


def _totals(listing: ItemListing) -> str:
    shown = len(listing.items)
    part = f" ({shown:,} shown; --limit 0 shows all)" if shown < listing.total else ""
    return f"{human_count(listing.total, 'item')}{part}."
