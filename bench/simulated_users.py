"""Simulated users whose effect of telling is known: what their sessions measure, how hard they are, who is told.

Outcomes that are marked as fresh had no part in finding the burn-in; figures about them are a test of it.
"""

import random
from collections.abc import Callable, Iterator
from math import exp, log, log1p, sqrt
from typing import NamedTuple

from afterwit.measure.statistics import Draw, Trial

_LEVELS = {"a": 1.0, "b": 0.2, "c": 4.0, "d": 0.5, "e": 2.0, "f": 0.1}  # of strata
_FREQUENCIES = (40, 25, 15, 10, 7, 3)
_MEAN = 6.0


class Outcome(NamedTuple):
    """What is measured in a session of a given difficulty, and what that is on average."""

    name: str
    drawn: Callable[[random.Random, float], float]
    expected: Callable[[float], float]
    is_fresh: bool = False


class User(NamedTuple):
    """How a user works. Sessions `before` the experiment show what is usual; then come the drawn ones."""

    outcome: Outcome
    chance: float = 0.9
    later_chance: float | None = None  # of the second half
    effect: float = 0.0  # of telling, as a share of the level
    sessions: int = 300
    before: int = 0
    has_strata: bool = False
    is_drifting: bool = False
    draws: int = 1  # in each session
    figures: int = 1  # that are judged together, of which this is one


class SimulatedSession(NamedTuple):
    trial: Trial
    effect: float  # of one draw, in truth


def sessions_of(user: User, seed: int) -> Iterator[SimulatedSession]:
    """A history of the user, another for each seed."""
    rng = random.Random(seed)
    drawn, expected = user.outcome.drawn, user.outcome.expected
    strata = rng.choices(list(_LEVELS), _FREQUENCIES, k=user.before + user.sessions)
    for number, stratum in enumerate(strata, -user.before):
        level = _MEAN * _LEVELS[stratum] if user.has_strata else _MEAN
        if user.is_drifting:
            level *= _difficulty(number / user.sessions)
        chance = user.later_chance if user.later_chance and number * 2 >= user.sessions else user.chance
        draws = tuple([Draw(rng.random() < chance, chance) for _ in range(user.draws if number >= 0 else 0)])
        told = sum([draw.is_told for draw in draws]) / user.draws
        value = drawn(rng, level * (1 + user.effect * told))
        effect = (expected(level * (1 + user.effect)) - expected(level)) / user.draws if user.effect else 0.0
        where = stratum if user.has_strata else ""
        yield SimulatedSession(Trial(stratum=where, value=value, draws=draws), effect)


def _difficulty(progress: float) -> float:
    """Fourfold from the start to the end, with ups and downs."""
    return (0.5 + 1.5 * max(progress, 0.0)) * (1 + 0.4 * (int(progress * 7) % 2))


def _poisson(rng: random.Random, mean: float) -> float:
    if mean > 40:
        return float(max(0, round(rng.gauss(mean, sqrt(mean)))))
    count, product, limit = 0, rng.random(), exp(-mean)
    while product > limit:
        count += 1
        product *= rng.random()
    return float(count)


def _overdispersed(rng: random.Random, mean: float) -> float:
    return _poisson(rng, rng.gammavariate(0.3, mean / 0.3))


def _share(level: float) -> float:
    return min(level / 50, 0.95)


def _rate(rng: random.Random, level: float) -> float:
    """Failures per 100 actions: often hardly any, sometimes nearly all."""
    return 100 * rng.betavariate(2 * _share(level), 2 * (1 - _share(level)))


def _all_or_nothing(rng: random.Random, level: float) -> float:
    """A share of 100 that is nearly always near one of its ends."""
    return 100 * rng.betavariate(0.2 * _share(level), 0.2 * (1 - _share(level)))


def _mostly_nothing(rng: random.Random, level: float) -> float:
    return rng.lognormvariate(log(level * 5) - 0.5, 1.0) if rng.random() < 0.2 else 0.0


def _far_out(rng: random.Random, level: float) -> float:
    """Student's distribution with three degrees of freedom: rare values far out on both sides."""
    return level + 2 * rng.gauss(0, 1) / sqrt(rng.gammavariate(1.5, 2) / 3)


def _itself(level: float) -> float:
    return level


OUTCOMES = (
    Outcome("counts", _poisson, _itself),
    Outcome("counts with many zeros", _overdispersed, _itself),
    Outcome("rate per 100", _rate, lambda level: 100 * _share(level)),
    Outcome("yes or no", lambda rng, level: float(rng.random() < _share(level)), _share),
    Outcome("rarely yes", lambda rng, level: float(rng.random() < _share(level) / 8), lambda level: _share(level) / 8),
    Outcome("long tail", lambda rng, level: rng.lognormvariate(log(level) - 1.125, 1.5), _itself),
    Outcome("around a mean", lambda rng, level: rng.gauss(level, 2.0), _itself, is_fresh=True),
    Outcome(
        "log of tokens",
        lambda rng, level: log1p(rng.lognormvariate(log(level * 5000), 1.0)),
        lambda level: log(level * 5000),
        is_fresh=True,
    ),
    Outcome("all or nothing", _all_or_nothing, lambda level: 100 * _share(level), is_fresh=True),
    Outcome("mostly nothing", _mostly_nothing, _itself, is_fresh=True),
    Outcome("far out on both sides", _far_out, _itself, is_fresh=True),
)
