"""Short names of sessions, for people to read and type: the beginning of an id that no other id shares.

`filters.find_session` takes them, and any longer beginning.
"""

from bisect import bisect_left
from itertools import takewhile

_SHORTEST_ID = 8


def short_ids(ids: list[str]) -> dict[str, str]:
    """For each id the beginning of its last part that no other id shares."""
    tails = {native_id: native_id.rpartition("/")[2].removeprefix("agent-") for native_id in ids}
    heads = sorted(set(tails.values()))
    return {native_id: _shortest(tail, heads) for native_id, tail in tails.items()}


def _shortest(tail: str, heads: list[str]) -> str:
    """As much of a name as tells it from its neighbours in the sorted list."""
    place = bisect_left(heads, tail)
    neighbours = (*heads[max(0, place - 1) : place], *heads[place + 1 : place + 2])
    shared = max((_shared(tail, other) for other in neighbours), default=0)
    return tail[: max(shared + 1, _SHORTEST_ID)]


def _shared(left: str, right: str) -> int:
    """How many letters both begin with."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
