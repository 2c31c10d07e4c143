"""What saying an item is worth: the actions it can be expected to spare, for each token that it costs to read.

Three factors: how often it mattered in sessions like this one, how far it is believed (a low quantile, so that little
evidence counts little), and what it spares when it matters. A rough estimate that only has to rank.
"""

from collections.abc import Mapping

from afterwit.knowledge.belief import lower, quorum
from afterwit.model.knowledge import Item, Scope

TOKEN_CHARS = 4
_FEWEST = 3  # stories of a scope with fewer say little about how often something matters
_MOST = 60  # pieces of evidence that an item keeps


def tokens(text: str) -> int:
    """About what it costs to read."""
    return -(-len(text) // TOKEN_CHARS)


def expected(item: Item, stories: Mapping[Scope, int]) -> float:
    """Actions that it can be expected to spare in a session."""
    of = min(_MOST, max(_FEWEST, stories.get(item.scope, 0)))
    return min(1.0, quorum(item.evidence) / of) * lower(item.belief) * item.saves


def per_token(item: Item, stories: Mapping[Scope, int]) -> float:
    return expected(item, stories) / max(1, tokens(item.sentence))
