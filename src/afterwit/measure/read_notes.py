"""What the notes that models read did in a replay: how many there were, and how often they were told. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from afterwit.measure.player import PlayerNote


class ReplayedReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the notes that models read did in a replay."""

    notes: int  # that were known in time for some session
    told: int  # of these, at least once
    sessions: int  # in which one was told
    moments: dict[str, int]  # how often one was told, by moment


class _Telling(NamedTuple):
    session: str
    moment: str
    item: str


class ReadingTally:
    """Counts what was told, session by session; which of it was read is known at the end."""

    def __init__(self) -> None:
        self._told: list[_Telling] = []

    def take(self, notes: Iterable[PlayerNote]) -> None:
        for note in notes:
            moment = str(note.occasion or note.moment)
            self._told += [_Telling(note.session, moment, item) for item in note.item.split()]

    def of(self, read: Mapping[str, str]) -> ReplayedReading:
        """The counts, where these are the notes that were read: `Player.read_notes`."""
        told = [telling for telling in self._told if telling.item in read]
        return ReplayedReading(
            notes=len(set(read.values())),
            told=len({telling.item for telling in told}),
            sessions=len({telling.session for telling in told}),
            moments=dict(sorted(Counter(telling.moment for telling in told).items())),
        )
