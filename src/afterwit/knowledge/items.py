"""Looks at items: all of them, one by its id, those about something; and what stands behind one."""

from collections.abc import Iterator

import apsw
import msgspec

from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Item
from afterwit.sessions.filters import one_line
from afterwit.store.rows import items
from afterwit.store.rows.items import ItemRow

_MOST_CANDIDATES = 12
_LONGEST = 60
_DECODER = msgspec.msgpack.Decoder(Item)


def item_row(item: Item) -> ItemRow:
    return ItemRow(
        item.id,
        str(item.scope),
        item.category,
        item.harvester,
        item.status,
        item.confidence,
        item.last_ms,
        msgspec.msgpack.encode(item),
    )


def item_in(row: ItemRow) -> Item:
    return _DECODER.decode(row.body)


def all_items(db: apsw.Connection) -> Iterator[Item]:
    """All items, the most believed first."""
    return map(item_in, items.all_items(db))


def find_item(db: apsw.Connection, name: str, *, names_only: bool = False) -> Item:
    """The one item with this id, or whose id begins so. Where there are several, the refusal lists them; `names_only`
    without what they say, for agents, to whom no item is told by the way."""
    found = items.items_named(db, name, _MOST_CANDIDATES) if name else []
    if len(found) == 1:
        return item_in(found[0])
    if not found:
        raise UsageError(f"No item {name!r}. `afterwit knowledge list` shows what there is.")
    shown = "\n".join(f"  {row.id}" if names_only else f"  {row.id}  {_said(row)}" for row in found)
    more = "\n  …" if len(found) == _MOST_CANDIDATES else ""
    raise UsageError(f"Several items begin with {name!r}; give more of the id:\n{shown}{more}")


def _said(row: ItemRow) -> str:
    return one_line(item_in(row).sentence, _LONGEST)


def search_items(db: apsw.Connection, text: str, limit: int = 20) -> list[Item]:
    """Items with these words, best first."""
    words = ['"' + word.replace('"', '""') + '"' for word in text.split()]
    return [item_in(row) for row in items.items_with_words(db, " ".join(words), limit)] if words else []
