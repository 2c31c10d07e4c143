"""The experiment: which share of sessions, and of items, is held out so that an effect can be told from chance.

A choice is journalled with its moment, because figures from before and after it must not be mixed; hooks get it with
the next deck, which is compiled at once.
"""

import msgspec

from afterwit.config.world import World
from afterwit.decisions.journal import EXPERIMENT_SET, catch_up, decide, told_if_recorded
from afterwit.recall.deck.compile import compile_deck
from afterwit.store.lease import held
from afterwit.store.rows import hooks
from afterwit.store.rows.items import exposures
from afterwit.store.store import opened, readonly_database, require

_WAIT_SECONDS = 60


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """How it is set, and what was drawn so far."""

    session_share: float
    item_share: float
    since_ms: int  # 0: as it comes
    shown: int  # times that an item was shown
    held_out: int  # times that it would have been


def experiment_now(world: World) -> Experiment:
    require(world.layout)
    with readonly_database(world.layout) as db:
        chosen = hooks.shares(db)
        drawn = [row.is_shown for row in exposures(db)]
    return Experiment(
        session_share=chosen.session_share,
        item_share=chosen.item_share,
        since_ms=chosen.since_ms,
        shown=sum(drawn),
        held_out=len(drawn) - sum(drawn),
    )


def set_experiment(world: World, session_share: float | None, item_share: float | None) -> Experiment:
    """Changes what is given; the rest stays."""
    require(world.layout)
    with held(world.layout.lease, _WAIT_SECONDS), opened(world.layout) as store:
        catch_up(store)
        before = hooks.shares(store.db)
        body = {
            "session_share": before.session_share if session_share is None else session_share,
            "item_share": before.item_share if item_share is None else item_share,
        }
        with told_if_recorded(store):
            decide(store, EXPERIMENT_SET, body, world.now_ms)
            compile_deck(store, world)
    return experiment_now(world)
