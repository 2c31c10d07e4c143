"""Which of several items that fit a moment is said first: one order for recall and for the deck that hooks read."""

from afterwit.model.knowledge import Item
from afterwit.recall.worth import per_token


def order(item: Item) -> tuple[float, str]:
    """What spares most for each token comes first; the id makes it the same everywhere."""
    return -per_token(item, {}), item.id
