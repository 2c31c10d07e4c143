"""How fast notes are gained and lost (by day, by category, by what found them), and whether their confidence is honest.

*Gained* is a note on the day of the session, or the decision, by which it had all that it takes to be used. *Lost* is
one that was gained and is no longer in use, on the day of what ended it. Age, and files that are gone, have no such
day: these are counted without one. What left no trace, such as a note whose sessions were deleted, is not counted.

*Confidence* is tested by what a note was given before each session that spoke of it, and what that session said. A
prediction is the confidence of a note as it stood before a session, from the evidence and decisions of earlier ones. It
came true where the session speaks for the note. A session in which the note was told is no test of it, unless it
answers a failure and was put to the test. A session that says nothing of a note is no test either, and nothing is known
of notes that were never found: both flatter.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from statistics import mean
from typing import NamedTuple

import msgspec

from afterwit.knowledge.belief import is_test
from afterwit.knowledge.weighing import WeighingContext, is_put_to_test, weigh
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import Draft, Evidence, Item, ItemStatus
from afterwit.store.decisions import TAKEN_OUT, Decision

_SHARED = frozenset(Draft.__struct_fields__) & frozenset(Item.__struct_fields__)


class NoteHistory(NamedTuple):
    """What weighing needs to know besides the items. Mappings are by the item's id, or by harvester."""

    decisions: Mapping[str, Sequence[Decision]] = {}
    echoes: Mapping[str, frozenset[str]] = {}
    minimum_stories: Mapping[str, int] = {}
    stated: Mapping[str, float] = {}  # how sure a model was of what it read

    def decided_about(self, item: Item) -> list[Decision]:
        """In order of time."""
        about = (decision for name in names_of(item) for decision in self.decisions.get(name, ()))
        return sorted(about, key=lambda decision: decision.at_ms)


def names_of(item: Item) -> tuple[str, ...]:
    """The ids under which it was told and decided about: its own, and those of what was merged into it."""
    return item.id, *item.merged


def item_before(item: Item, piece: Evidence, history: NoteHistory) -> Item | None:
    """The item as it stood before the session of a piece of evidence."""
    at_ms, session = time_of(piece), piece.session
    earlier = [
        other
        for other in item.evidence
        if time_of(other) < at_ms
        and (other.session.agent, other.session.native_id) != (session.agent, session.native_id)
    ]
    return item_at(item, earlier, at_ms, history)


def time_of(piece: Evidence) -> int:
    """When it happened; 0 where that is not known."""
    return piece.at_ms or piece.session.at_ms


def item_at(item: Item, evidence: Sequence[Evidence], at_ms: int, history: NoteHistory) -> Item | None:
    """The item as this evidence and all decisions by then make it; None where there were none."""
    decisions = {
        name: [decision for decision in history.decisions.get(name, ()) if decision.at_ms <= at_ms]
        for name in names_of(item)
    }
    if not evidence and not any(decisions.values()):
        return None
    stated = max((history.stated.get(name, 0.0) for name in names_of(item)), default=0.0)
    kept = {name: getattr(item, name) for name in _SHARED}
    draft = Draft(**kept | {"evidence": tuple(evidence)}, key=(item.id,), stated_confidence=stated)
    context = WeighingContext(
        now_ms=at_ms, echoes=history.echoes, decisions=decisions, minimum_stories=history.minimum_stories
    )
    return msgspec.structs.replace(weigh(draft, context, names_of(item)), id=item.id)


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


class Velocity(msgspec.Struct, frozen=True, kw_only=True):
    """Of how many days, and what came and went in them."""

    days: int  # from the first session to now, or since the day that was asked for
    gained: int
    lost: int
    lost_undated: int  # of these, without a day
    in_use: int  # now
    by_category: dict[str, tuple[int, int]]  # gained, lost
    by_harvester: dict[str, tuple[int, int]]


def gained_times(items: Iterable[Item], history: NoteHistory) -> dict[str, int]:
    """When each note that was ever in use had all that it takes, by id."""
    times = ((item.id, _time_gained(item, history)) for item in items)
    return {name: at_ms for name, at_ms in times if at_ms is not None}


def _time_gained(item: Item, history: NoteHistory) -> int | None:
    if item.status is ItemStatus.QUARANTINED:
        return None
    moments = {time_of(piece) for piece in item.evidence}
    moments.update(decision.at_ms for decision in history.decided_about(item))
    for at_ms in sorted(filter(None, moments)):
        by_then = [piece for piece in item.evidence if time_of(piece) <= at_ms]
        then = item_at(item, by_then, at_ms, history)
        if then is not None and then.status is ItemStatus.ACTIVE:
            return at_ms
    return item.last_ms if item.status is ItemStatus.ACTIVE else None


def note_changes(items: Iterable[Item], history: NoteHistory, gained: Mapping[str, int]) -> list[NoteChange]:
    """All that came and went, in order of time."""
    changes = []
    for item in items:
        if item.id in gained:
            about = (item.category.value, item.harvester)
            changes.append(NoteChange(gained[item.id], item.id, GAINED, *about))
            if item.status in _LOST:
                changes.append(NoteChange(_time_lost(item, history, gained), item.id, LOST, *about))
    return sorted(changes)


def _time_lost(item: Item, history: NoteHistory, gained: Mapping[str, int]) -> int:
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
        by_category=_by(changes, "category"),
        by_harvester=_by(changes, "harvester"),
    )


def _by(changes: Iterable[NoteChange], name: str) -> dict[str, tuple[int, int]]:
    counts = Counter((getattr(change, name), change.change) for change in changes)
    return {group: (counts[group, GAINED], counts[group, LOST]) for group in sorted({group for group, _ in counts})}


class ConfidenceTest(NamedTuple):
    """A session that speaks of a note."""

    at_ms: int
    session: str
    item: str
    confidence: float  # before
    came_true: bool


def confidence_tests(items: Iterable[Item], history: NoteHistory, since_ms: int = 0) -> list[ConfidenceTest]:
    """In order of time."""
    return sorted(test for item in items for test in _tests(item, history) if test.at_ms >= since_ms)


def _tests(item: Item, history: NoteHistory) -> Iterator[ConfidenceTest]:
    for piece in _first_of_sessions(item, history):
        before = item_before(item, piece, history)
        if before is not None:
            yield ConfidenceTest(
                time_of(piece), piece.session.native_id, item.id, before.belief.mean, not piece.is_against
            )


def _first_of_sessions(item: Item, history: NoteHistory) -> Iterator[Evidence]:
    """The first word of each independent session, but for the session that a note comes from, and for echoes."""
    echoes = frozenset().union(*(history.echoes.get(name, frozenset()) for name in names_of(item)))
    is_answer = is_put_to_test(item)
    seen: set[str] = set()
    for piece in sorted(filter(time_of, item.evidence), key=lambda piece: (time_of(piece), piece.is_against)):
        story = piece.session.story
        if story not in seen and (story not in echoes or (is_answer and is_test(piece))):
            seen.add(story)
            if len(seen) > 1:
                yield piece


_BINS = 10
_Z95 = 1.959964


class ReliabilityBin(msgspec.Struct, frozen=True, kw_only=True):
    """Tests of about the same confidence: what it was on average, and how often it came true."""

    low: float
    high: float
    mean_chance: float
    came_true: Proportion


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How good stated chances were."""

    forecasts: int  # tests
    score: float
    low: float | None  # of the interval of 95 %; None with a single note
    high: float | None
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float
    skill: float | None  # what share of the base rate's score is spared; None where everything came out alike
    bins: tuple[ReliabilityBin, ...]


def calibration(tests: Sequence[ConfidenceTest]) -> Calibration | None:
    """The Brier score, with Murphy's parts of it; tests of one note stand or fall together. None without tests."""
    if not tests:
        return None
    count = len(tests)
    errors = [(test.confidence - test.came_true) ** 2 for test in tests]
    score = sum(errors) / count
    base_rate = sum(test.came_true for test in tests) / count
    uncertainty = base_rate * (1 - base_rate)
    bins = _bins(tests)
    shares = [(part.came_true.of, part.mean_chance, part.came_true.share or 0.0) for part in bins]
    reliability = sum(of * (chance - share) ** 2 for of, chance, share in shares) / count
    resolution = sum(of * (share - base_rate) ** 2 for of, _, share in shares) / count
    spread = _spread(tests, errors, score)
    return Calibration(
        forecasts=count,
        score=score,
        low=None if spread is None else max(0.0, score - spread),
        high=None if spread is None else min(1.0, score + spread),
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within_bins=score - reliability + resolution - uncertainty,
        skill=1 - score / uncertainty if uncertainty else None,
        bins=bins,
    )


def _bins(tests: Iterable[ConfidenceTest]) -> tuple[ReliabilityBin, ...]:
    members: defaultdict[int, list[ConfidenceTest]] = defaultdict(list)
    for test in tests:
        members[min(int(test.confidence * _BINS), _BINS - 1)].append(test)
    return tuple(
        ReliabilityBin(
            low=number / _BINS,
            high=(number + 1) / _BINS,
            mean_chance=mean(test.confidence for test in part),
            came_true=Proportion(sum(test.came_true for test in part), len(part)),
        )
        for number, part in sorted(members.items())
    )


def _spread(tests: Sequence[ConfidenceTest], errors: Sequence[float], score: float) -> float | None:
    """Half of the interval of 95 %, from how far whole notes lie from the score; None where there is only one."""
    apart: defaultdict[str, float] = defaultdict(float)
    for test, error in zip(tests, errors, strict=True):
        apart[test.item] += error - score
    notes = len(apart)
    if notes < 2:
        return None
    return _Z95 * sqrt(sum(value * value for value in apart.values()) * notes / (notes - 1)) / len(tests)
