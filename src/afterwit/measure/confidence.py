"""Whether confidence is honest: what a note was given before each session that spoke of it, and what that session said.

A prediction is the confidence of a note as it stood before a session, from the evidence and decisions of earlier ones.
It came true where the session speaks for the note. A session in which the note was told is no test of it, unless it
answers a failure and was put to the test. A session that says nothing of a note is no test either, and nothing is known
of notes that were never found: both flatter.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from statistics import mean
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
