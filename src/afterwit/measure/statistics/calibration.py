"""Calibration: whether what was given a chance of 80 % came true four times of five.

The Brier score is the mean squared difference between the chances and what came of them: 0 is perfect. After Murphy it
is made of reliability (how far the chances of a bin lie from what came true in it: less is better), resolution (how far
bins differ in what came true: more is better) and uncertainty (the score of saying the base rate always). Bins are
tenths: [0, 0.1), [0.1, 0.2) and so on, 1 with the last; empty ones are left out. That chances differ within a bin is a
part of its own, so that the parts add up: score = reliability - resolution + uncertainty + within_bins.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import sqrt

import msgspec

from afterwit.model.figures import Proportion

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
    error = _clustered_error(forecasts, errors, score)
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


def _clustered_error(forecasts: Sequence[Forecast], errors: Sequence[float], score: float) -> float | None:
    """The standard error of the score, from how far whole clusters lie from it."""
    apart: defaultdict[Hashable, float] = defaultdict(float)
    for number, (forecast, error) in enumerate(zip(forecasts, errors, strict=True)):
        apart[number if forecast.cluster is None else (forecast.cluster,)] += error - score
    clusters = len(apart)
    if clusters < 2:
        return None
    return sqrt(sum(value * value for value in apart.values()) * clusters / (clusters - 1)) / len(forecasts)
