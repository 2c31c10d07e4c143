"""Finds the second of two records that tell one thing: the item that the model sees, and the event that a person sees.

Keeps hashes of the last few texts only. Works in both orders, and a text that a person types twice still counts twice.
"""

from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.agents.codex.lineage import mark

_KEPT = 7


class Source(StrEnum):
    ITEM = "item"
    EVENT = "event"


class Waiting(NamedTuple):
    """A text that was read from one record and may come once more from another."""

    source: Source
    mark: str
    number: int  # of the record in the file


class Echoes(msgspec.Struct):
    """Finds the second record of a pair that tells one thing twice, in whichever order the two come."""

    waiting: list[Waiting] = []

    def answers(self, source: Source, text: str, number: int) -> bool:
        """Whether this is the echo of an earlier record: the same text, or the event right behind an item."""
        name = mark(text)
        for index, earlier in enumerate(self.waiting):
            is_next = source is Source.EVENT and earlier.number == number - 1
            if earlier.source is not source and (earlier.mark == name or is_next):
                del self.waiting[index]
                return True
        self.waiting = [*self.waiting[-_KEPT:], Waiting(source, name, number)]
        return False
