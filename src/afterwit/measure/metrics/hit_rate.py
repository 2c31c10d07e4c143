"""Of the notes that were told ahead of time, how many had their moment come in that session.

A note waits for something: a command, a file, a failure, a rule, a topic. Told at the start or with a prompt, it may
come or not; told after a failure or with an action, its moment is there already, and nothing is to be counted. Notes
that wait for nothing in particular, such as what a user said to hold always, cannot be counted either.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.agents.hook_payloads import PROMPT
from afterwit.measure.metrics.session_moments import DatedMoment, came_after, moments_in
from afterwit.measure.metrics.told_notes import SessionKey, ToldNote, key_of
from afterwit.model.digest import Digest
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import Item


class Came(StrEnum):
    CAME = "came"
    NOT = "did not come"
    THERE = "was there"  # it was told because of it
    ANYTIME = "none in particular"
    UNREAD = "session not learned yet"
    GONE = "note no longer there"


class MomentOfNote(NamedTuple):
    """A note that a session was told, and whether its moment came."""

    at_ms: int
    session: str
    agent: str
    item: str
    told_at: str
    moment: str


class HitRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often what was told came up."""

    told: int  # notes in sessions, each once
    sessions: int
    available: int  # told ahead of a moment that can be looked for, in sessions that were learned
    used: int  # of these, those whose moment came
    share: float | None
    interval: tuple[float, float]
    by_moment: dict[str, int]  # of all that were told: how many of each kind
    by_telling: dict[str, tuple[int, int]]  # by when they were told: used, available


class HitTally:
    """Looks for the moments of all notes that were told, session by session."""

    def __init__(self, told: Iterable[ToldNote], items: Mapping[str, Item]) -> None:
        self._items = items
        self._by_session: dict[SessionKey, list[ToldNote]] = {}
        for note in told:
            self._by_session.setdefault(note.to, []).append(note)
        self._came: dict[ToldNote, Came] = {}

    def take(self, digest: Digest) -> None:
        notes = self._by_session.get(key_of(digest), ())
        moments = moments_in(digest) if notes else []
        for note in notes:
            if self._came.get(note) is not Came.CAME:  # in another subagent
                self._came[note] = _came(note, self._items.get(note.item), moments)

    def rows(self) -> list[MomentOfNote]:
        """In order of time."""
        told = sorted(note for notes in self._by_session.values() for note in notes)
        return [
            MomentOfNote(
                note.at_ms,
                note.to.session,
                note.to.agent,
                note.item,
                note.act or note.moment,
                self._came.get(note, Came.UNREAD).value,
            )
            for note in told
        ]


def _came(note: ToldNote, item: Item | None, moments: list[DatedMoment]) -> Came:
    if item is None:
        return Came.GONE
    if note.is_at_its_moment:
        return Came.THERE
    if not item.triggers:
        return Came.ANYTIME
    if came_after(item, moments, note.at_ms):
        return Came.CAME
    is_of_topic = note.moment == PROMPT and any(trigger.topic for trigger in item.triggers)
    return Came.THERE if is_of_topic else Came.NOT


def hit_rate(rows: Sequence[MomentOfNote]) -> HitRate:
    pairs = {
        told_at: (
            sum(row.moment == Came.CAME for row in group),
            sum(row.moment in (Came.CAME, Came.NOT) for row in group),
        )
        for told_at, group in _grouped(rows).items()
    }
    share = Proportion(sum(used for used, _ in pairs.values()), sum(available for _, available in pairs.values()))
    return HitRate(
        told=len(rows),
        sessions=len({(row.agent, row.session) for row in rows}),
        available=share.of,
        used=share.hits,
        share=share.share,
        interval=share.interval,
        by_moment=dict(sorted(Counter(row.moment for row in rows).items())),
        by_telling=pairs,
    )


def _grouped(rows: Iterable[MomentOfNote]) -> dict[str, list[MomentOfNote]]:
    groups: dict[str, list[MomentOfNote]] = {}
    for row in rows:
        groups.setdefault(row.told_at, []).append(row)
    return dict(sorted(groups.items()))
