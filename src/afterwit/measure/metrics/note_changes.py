"""How fast notes are gained and lost: by day, by category, by what found them.

*Gained* is a note on the day of the session, or the decision, by which it had all that it takes to be used. That is
when it could be known, and not when `learn` ran. *Lost* is one that was gained and is no longer in use, on the day of
what ended it. Age, and files that are gone, have no such day: these are counted without one. What left no trace at all,
such as a note whose sessions were deleted, is not counted; the daily history of the report shows it as a smaller sum.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.measure.metrics.as_of import NoteHistory, item_at, time_of
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.store.decisions import TAKEN_OUT

GAINED = "gained"
LOST = "lost"
_LOST = (ItemStatus.SUPERSEDED, ItemStatus.STALE, ItemStatus.RETIRED)


class NoteChange(NamedTuple):
    """A note that was gained or lost."""

    at_ms: int  # 0: nobody can tell when
    item: str
    change: str
    category: str
    harvester: str
    why: str


class Velocity(msgspec.Struct, frozen=True, kw_only=True):
    """Of how many days, and what came and went in them."""

    days: int  # from the first session to now, or since the day that was asked for
    gained: int
    lost: int
    lost_undated: int  # of these, without a day
    in_use: int  # now
    gained_per_day: float | None
    lost_per_day: float | None
    by_category: dict[str, tuple[int, int]]  # gained, lost
    by_harvester: dict[str, tuple[int, int]]


def gained_times(items: Iterable[Item], history: NoteHistory) -> dict[str, int]:
    """When each note that was ever in use had all that it takes, by id."""
    times = ((item.id, _gained_ms(item, history)) for item in items)
    return {name: at_ms for name, at_ms in times if at_ms is not None}


def _gained_ms(item: Item, history: NoteHistory) -> int | None:
    if item.status is ItemStatus.QUARANTINED:
        return None
    moments = {time_of(piece) for piece in item.evidence}
    moments.update(decision.at_ms for decision in history.decided_about(item))
    for at_ms in sorted(filter(None, moments)):
        then = item_at(item, at_ms, history)
        if then is not None and then.status is ItemStatus.ACTIVE:
            return at_ms
    return item.last_ms if item.status is ItemStatus.ACTIVE else None


def note_changes(items: Sequence[Item], history: NoteHistory, gained: Mapping[str, int]) -> list[NoteChange]:
    """All that came and went, in order of time."""
    return sorted(_changes(items, history, gained))


def _changes(items: Sequence[Item], history: NoteHistory, gained: Mapping[str, int]) -> Iterator[NoteChange]:
    for item in items:
        if item.id in gained:
            about = (item.category.value, item.harvester)
            yield NoteChange(gained[item.id], item.id, GAINED, *about, _why(item, history, gained[item.id]))
            if item.status in _LOST:
                yield NoteChange(_lost_ms(item, history, gained), item.id, LOST, *about, item.reason)


def _why(item: Item, history: NoteHistory, gained_ms: int) -> str:
    is_decided = any(decision.at_ms == gained_ms for decision in history.decided_about(item))
    return "a person decided so" if is_decided else "there was enough evidence"


def _lost_ms(item: Item, history: NoteHistory, gained: Mapping[str, int]) -> int:
    if item.status is ItemStatus.SUPERSEDED:
        return max(gained.get(item.superseded_by, 0), gained[item.id])
    if item.reason in TAKEN_OUT.values():
        return history.decided_about(item)[-1].at_ms
    if item.status is ItemStatus.RETIRED:
        return item.last_ms
    against = [time_of(piece) for piece in item.evidence if piece.is_against]
    return max(against, default=0) if item.reason.startswith("contradicted") else 0


def velocity(changes: Sequence[NoteChange], in_use: int, days: int) -> Velocity:
    """What came and went in so many days."""
    counts = Counter(change.change for change in changes)
    return Velocity(
        days=days,
        gained=counts[GAINED],
        lost=counts[LOST],
        lost_undated=sum(change.change == LOST and not change.at_ms for change in changes),
        in_use=in_use,
        gained_per_day=counts[GAINED] / days if days else None,
        lost_per_day=counts[LOST] / days if days else None,
        by_category=_by(changes, "category"),
        by_harvester=_by(changes, "harvester"),
    )


def _by(changes: Iterable[NoteChange], name: str) -> dict[str, tuple[int, int]]:
    counts = Counter((getattr(change, name), change.change) for change in changes)
    return {group: (counts[group, GAINED], counts[group, LOST]) for group in sorted({group for group, _ in counts})}
