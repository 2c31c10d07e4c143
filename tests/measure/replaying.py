"""Replays for tests: the players of these names over what a store has learned."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.homes import Silent

from afterwit.config.world import World
from afterwit.engine.replay import past_of, players_named
from afterwit.measure.backtest import Backtest, NotesFile, backtest, walked
from afterwit.measure.replay import Notes, Player
from afterwit.sessions.filters import Filter


@contextmanager
def players(world: World, *names: str) -> Iterator[list[Player]]:
    with past_of(world) as past:
        yield players_named(names, past)


def replayed(world: World, *names: str, wanted: Filter | None = None, notes: NotesFile | None = None) -> Backtest:
    with players(world, *names) as chosen:
        return backtest(world, chosen, wanted or Filter(), Silent(), notes)


def notes_of(world: World, *names: str, beside: tuple[Player, ...] = ()) -> dict[str, Notes]:
    """What was said, by session and player."""
    with players(world, *names) as chosen:
        played = walked(world, [*chosen, *beside], Filter(), Silent())
        return {session.outline.here.session: session.notes for session in played}
