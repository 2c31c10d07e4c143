"""Short names of sessions, for people to read and type: the beginning of an id that no other id shares.

`filters.find_session` takes them, and any longer beginning.
"""

from itertools import takewhile

import apsw

from afterwit.store.rows.session_list import tails_beside

_SHORTEST_ID = 8


def short_id(db: apsw.Connection, native_id: str) -> str:
    """The beginning of an id's last part that no other id shares: as much as tells it from its neighbours in the
    order of the alphabet."""
    tail = native_id.rpartition("/")[2].removeprefix("agent-")
    shared = max((_shared(tail, other) for other in tails_beside(db, tail)), default=0)
    return tail[: max(shared + 1, _SHORTEST_ID)]


def _shared(left: str, right: str) -> int:
    """How many letters both begin with."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
