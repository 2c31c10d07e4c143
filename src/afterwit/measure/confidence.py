"""Whether confidence is honest: what a note was given before each session that spoke of it, and what that session said.

A prediction is the confidence of a note as it stood before a session, from the evidence and decisions of earlier ones.
It came true where the session speaks for the note. A session in which the note was told is no test of it, unless it
answers a failure and was put to the test. A session that says nothing of a note is no test either, and nothing is known
of notes that were never found: both flatter.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import msgspec

from afterwit.knowledge.belief import is_test
from afterwit.knowledge.weighing import is_put_to_test
from afterwit.measure.note_changes import NoteHistory, item_before, names_of, time_of
from afterwit.model.figures import Proportion
from afterwit.model.knowledge import Evidence, Item


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


class Forecast(msgspec.Struct, frozen=True):
    """A chance that was stated, and whether it came true. Forecasts of one cluster stand or fall together."""

    chance: float
    is_true: bool
    cluster: Hashable = None


class ReliabilityBin(msgspec.Struct, frozen=True, kw_only=True):
    """Forecasts with about the same chance: what was said on average, and how often it came true."""

    low: float
    high: float
    mean_chance: float
    came_true: Proportion


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How good stated chances were."""

    forecasts: int
    score: float
    low: float | None  # of the interval of 95 %; None with a single cluster
    high: float | None
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float
    skill: float | None  # what share of the base rate's score is spared; None where everything came out alike
    bins: tuple[ReliabilityBin, ...]


def calibration(forecasts: Iterable[Forecast]) -> Calibration | None:
    """The figures; None without forecasts."""
    forecasts = list(forecasts)
    if not forecasts:
        return None
    count = len(forecasts)
    errors = [(forecast.chance - forecast.is_true) ** 2 for forecast in forecasts]
    score = sum(errors) / count
    base_rate = sum(forecast.is_true for forecast in forecasts) / count
    uncertainty = base_rate * (1 - base_rate)
    bins = _bins(forecasts)
    reliability = sum(part.came_true.of * (part.mean_chance - _share(part)) ** 2 for part in bins) / count
    resolution = sum(part.came_true.of * (_share(part) - base_rate) ** 2 for part in bins) / count
    error = _error_by_cluster(forecasts, errors, score)
    return Calibration(
        forecasts=count,
        score=score,
        low=None if error is None else max(0.0, score - _Z95 * error),
        high=None if error is None else min(1.0, score + _Z95 * error),
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within_bins=score - reliability + resolution - uncertainty,
        skill=1 - score / uncertainty if uncertainty else None,
        bins=bins,
    )


def _bins(forecasts: Sequence[Forecast]) -> tuple[ReliabilityBin, ...]:
    members: defaultdict[int, list[Forecast]] = defaultdict(list)
    for forecast in forecasts:
        members[min(int(forecast.chance * _BINS), _BINS - 1)].append(forecast)
    return tuple(
        ReliabilityBin(
            low=number / _BINS,
            high=(number + 1) / _BINS,
            mean_chance=sum(forecast.chance for forecast in part) / len(part),
            came_true=Proportion(sum(forecast.is_true for forecast in part), len(part)),
        )
        for number, part in sorted(members.items())
    )


def _share(part: ReliabilityBin) -> float:
    return part.came_true.hits / part.came_true.of


def _error_by_cluster(forecasts: Sequence[Forecast], errors: Sequence[float], score: float) -> float | None:
    """The standard error of the score, from how far whole clusters lie from it."""
    apart: defaultdict[Hashable, float] = defaultdict(float)
    for number, (forecast, error) in enumerate(zip(forecasts, errors, strict=True)):
        apart[number if forecast.cluster is None else (forecast.cluster,)] += error - score
    clusters = len(apart)
    if clusters < 2:
        return None
    return sqrt(sum(value * value for value in apart.values()) * clusters / (clusters - 1)) / len(forecasts)
