"""What is skipped on purpose, to compare: which share of sessions, and of items, so that an effect can be told from
chance; and what it was.

A choice is journalled with its moment, and hooks get it with the next deck, which is compiled at once. Sessions that
are under way keep the odds they began with.
"""

import msgspec

from afterwit.config.world import World
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.tellings import kept_back
from afterwit.store.decide import EXPERIMENT_SET, catch_up, decide, report_if_recorded
from afterwit.store.rows import hooks
from afterwit.store.rows.items import exposures
from afterwit.store.store import hold_lease, open_store, readonly_database, require

_WAIT_SECONDS = 60


class Skipping(msgspec.Struct, frozen=True, kw_only=True):
    """How it is set, and what was drawn so far."""

    session_share: float
    item_share: float
    arms: list[str]  # of the experiment that is under way; while it is, no other sessions are skipped
    since_ms: int  # 0: as it comes
    shown: int  # times that an item was shown
    held_out: int  # times that it would have been


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """One time that something was not said."""

    at_ms: int
    agent: str
    session: str
    repo: str
    moment: str
    act: str
    is_whole_session: bool
    text: str  # that was kept back


def skipping_now(world: World) -> Skipping:
    require(world.layout)
    with readonly_database(world.layout) as db:
        chosen = hooks.shares(db)
        drawn = [row.is_shown for row in exposures(db)]
    return Skipping(
        session_share=chosen.session_share,
        item_share=chosen.item_share,
        arms=list(chosen.arms),
        since_ms=chosen.since_ms,
        shown=sum(drawn),
        held_out=len(drawn) - sum(drawn),
    )


def set_skipping(world: World, session_share: float | None, item_share: float | None) -> Skipping:
    """Changes what is given; the rest stays."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        before = hooks.shares(store.db)
        body = {
            "session_share": before.session_share if session_share is None else session_share,
            "item_share": before.item_share if item_share is None else item_share,
        }
        with report_if_recorded(store):
            decide(store, EXPERIMENT_SET, body, world.now_ms)
            compile_deck(store, world)
    return skipping_now(world)


def skipped_lately(world: World, most: int) -> list[Skipped]:
    """The last times that something was kept back, the newest first."""
    require(world.layout)
    with readonly_database(world.layout) as db:
        rows = hooks.latest_withheld(db, most)
    return [
        Skipped(
            at_ms=row.at_ms,
            agent=row.agent,
            session=row.session,
            repo=row.repo,
            moment=row.moment,
            act=row.act,
            is_whole_session=bool(row.is_held),
            text=kept_back(row.text, row.would),
        )
        for row in rows
    ]
