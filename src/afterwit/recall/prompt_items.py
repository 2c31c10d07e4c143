"""What of all that fits the place of the work is said with the first prompt.

Shared by recall, which has items, and by hooks, which have lines of a deck: both bring what fits in the same order, and
here it is cut down. Standard library only, so that a hook can import it.
"""

from collections.abc import Iterable, Sequence

from afterwit.recall.decisions import Quote
from afterwit.recall.places import Place
from afterwit.recall.prompt_block import MOST_BITES, Bite

_LIKELY = 0.2  # chance of a file whose pitfalls are worth naming
_COMPARED = 80  # characters of a quotation that tell it from others


def likely_paths(places: Iterable[Place]) -> tuple[str, ...]:
    """Where the work is likely enough to be."""
    return tuple(place.path for place in places if place.chance >= _LIKELY)


def first_bites(fitting: Iterable[Bite], quotes: Sequence[Quote]) -> list[Bite]:
    """Those that no quote of the same block says already, as many as the block takes."""
    return [bite for bite in fitting if not any(_says(quote, bite) for quote in quotes)][:MOST_BITES]


def _says(quote: Quote, bite: Bite) -> bool:
    """Whether both quote the same words. A line ends with its confidence, which is no part of the quotation."""
    _, _, words = bite.text.rpartition(" (")[0].partition(': "')
    return bool(words) and words.rstrip('"…. ')[:_COMPARED] in quote.text
