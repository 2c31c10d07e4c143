"""Invented histories of drawn sessions, for tests of the statistics."""

import random
from collections.abc import Callable, Iterable
from typing import Any

from afterwit.measure.statistics import Draw, Estimate, Trial, estimate_from, surprises

_LEVELS = {"orchard, codex": 1.0, "orchard, claude": 3.0, "mill, codex": 0.3}


def counts(rng: random.Random, mean: float) -> float:
    """Counts with many zeros and a long tail."""
    return float(int(rng.gammavariate(0.5, 2 * mean)))


def measures(rng: random.Random, mean: float) -> float:
    """Values that lie around their mean."""
    return rng.gauss(mean, 2.0)


def history(
    seed: int,
    sessions: int,
    *,
    chance: float = 0.9,
    effect: float = 0.0,
    value: Callable[[random.Random, float], float] = counts,
) -> list[Trial]:
    """Sessions of three strata that become harder; told ones have `effect` more of what is measured, as a share."""
    rng = random.Random(seed)
    trials = []
    for number in range(sessions):
        stratum, level = rng.choice(list(_LEVELS.items()))
        mean = 6 * level * (1 + number / sessions)
        is_told = rng.random() < chance
        measured = value(rng, mean * (1 + effect) if is_told else mean)
        trials.append(Trial(stratum=stratum, value=measured, draws=(Draw(is_told, chance),)))
    return trials


def estimate(trials: Iterable[Trial], **more: Any) -> Estimate:
    """The effect over trials of which nothing is known besides."""
    trials = list(trials)
    return estimate_from(zip(trials, surprises(trials), strict=True), **more)
