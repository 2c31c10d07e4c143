"""Draws that keep to given shares closely: decks of cards instead of dice.

A deck is dealt to its end before it is shuffled again, so that even a short run has the mix and the sizes that it
should have. Everything depends on the random generator that is passed in, and on nothing else.
"""

import random
from collections.abc import Mapping
from typing import Generic, TypeVar

from bench.shape import Lines, quantile

_Card = TypeVar("_Card")
_STRATA = 250


class Deck(Generic[_Card]):
    """Cards in random order, each as often as it is in the deck."""

    def __init__(self, rng: random.Random, cards: list[_Card]) -> None:
        self._rng = rng
        self._cards = cards
        self._left: list[_Card] = []

    def draw(self) -> _Card:
        if not self._left:
            self._left = self._cards.copy()
            self._rng.shuffle(self._left)
        return self._left.pop()


def deck_of(rng: random.Random, shares: Mapping[_Card, float], cards: int) -> Deck[_Card]:
    """A deck of about this many cards with these shares."""
    whole = sum(shares.values())
    return Deck(rng, [card for card, share in shares.items() for _ in range(round(cards * share / whole))])


class Places:
    """Places between 0 and 1, evenly spread over each run of draws."""

    def __init__(self, rng: random.Random, strata: int = _STRATA) -> None:
        self._rng = rng
        self._strata = strata
        self._deck = Deck(rng, list(range(strata)))

    def draw(self) -> float:
        return (self._deck.draw() + self._rng.random()) / self._strata


class Sizes:
    """Sizes of lines, by kind of record."""

    def __init__(self, rng: random.Random, kinds: Mapping[str, Lines]) -> None:
        self._tables = {kind: lines.sizes for kind, lines in kinds.items()}
        self._places = {kind: Places(rng) for kind in kinds}

    def draw(self, kind: str) -> int:
        return self.at(kind, self._places[kind].draw())

    def place(self, kind: str) -> float:
        return self._places[kind].draw()

    def at(self, kind: str, place: float) -> int:
        """The size at a place: two records that tell one thing are about equally long."""
        return round(quantile(self._tables[kind], place))
