"""Makes notes follow from verdicts at once: items are settled anew, and the deck is compiled.

Nothing happens where no session was ever learned: there is nobody to tell.
"""

from collections.abc import Callable

from afterwit.config.world import World
from afterwit.knowledge.door.settle import settle
from afterwit.store.decide import catch_up
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.store import Store, hold_lease, open_store

_WAIT_SECONDS = 60


def settle_notes(world: World, compile_deck: Callable[[Store, World], None]) -> None:
    """Lets the notes say what was found out."""
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        if count_sessions(store.db):
            settle(store, world)
            compile_deck(store, world)
