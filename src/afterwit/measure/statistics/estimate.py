"""What drawn sessions say about the effect of telling, in figures and in one word.

Everybody who was drawn counts on the side that was drawn, whatever happened afterwards (intention to treat). Where
several figures are judged together, divide `alpha` by their number, so that one wrong word among all of them is as rare
as one wrong word alone.
"""

from collections.abc import Iterable
from enum import Enum
from math import isfinite

import msgspec

from afterwit.measure.statistics.sequence import TUNED_FOR, RunningEffect
from afterwit.measure.statistics.trials import Draw, Trial, surprises

_FURTHEST = 10_000_000  # sessions; an effect that needs more is not waited for


class Finding(Enum):
    """The word for it."""

    HELPS = "helps"
    HARMS = "harms"
    NO_EVIDENCE = "no-evidence"
    NOT_JUDGED = "not-judged"  # of what is neither better nor worse


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of telling on one figure: positive where told sessions have more of it."""

    sessions: int
    told: int  # sessions in which something was told by chance
    held_out: int  # sessions in which something was not; of several draws both can be true
    mean_told: float | None  # each draw weighted by how improbable it was, so that a changed share does not shift it
    mean_held_out: float | None
    effect: float | None
    low: float | None  # of an interval that is valid at all looks; None while too few carry it
    high: float | None
    deviation: float | None  # the standard deviation of a session's share in the effect
    detectable: float | None  # the smallest effect that would be seen by now, four times of five
    needed: int | None  # how many more sessions until the effect that is sought would be; None: nobody can say

    def finding(self, *, is_less_better: bool) -> Finding:
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return Finding.NO_EVIDENCE
        return Finding.HELPS if (self.high < 0) == is_less_better else Finding.HARMS


def estimate(
    trials: Iterable[Trial], *, alpha: float = 0.05, sought: float | None = None, tuned_for: int = TUNED_FOR
) -> Estimate:
    """The effect over trials in the order of their draws; `needed` is about an effect of the size `sought`."""
    trials = list(trials)
    surprising = zip(trials, surprises(trials), strict=True)
    return estimate_from(surprising, alpha=alpha, sought=sought, tuned_for=tuned_for)


def estimate_from(
    surprising: Iterable[tuple[Trial, float | None]],
    *,
    alpha: float = 0.05,
    sought: float | None = None,
    tuned_for: int = TUNED_FOR,
) -> Estimate:
    """The same over trials whose surprises are known already: of many comparisons that have the same past each needs
    only the trials in which something was drawn."""
    running = RunningEffect(alpha, tuned_for)
    means = {True: _WeightedMean(), False: _WeightedMean()}
    for trial, surprise in surprising:
        if surprise is not None:
            running.add(surprise, trial.draws)
            for draw in trial.draws:
                means[draw.is_told].add(draw, trial.value)
    is_begun, radius = running.sessions > 0, running.radius
    is_said = is_begun and isfinite(radius)
    return Estimate(
        sessions=running.sessions,
        told=running.told,
        held_out=running.held_out,
        mean_told=means[True].value,
        mean_held_out=means[False].value,
        effect=running.effect if is_begun else None,
        low=running.effect - radius if is_said else None,
        high=running.effect + radius if is_said else None,
        deviation=running.deviation if is_begun else None,
        detectable=running.detectable() if is_said else None,
        needed=more_needed(running, abs(sought)) if is_begun and sought else None,
    )


def more_needed(running: RunningEffect, sought: float) -> int | None:
    """How many more sessions until an effect of this size would be seen, four times of five; 0: it would be now."""
    least = running.burn_in_left()
    if least is None or least > _FURTHEST:
        return None
    if running.detectable(least) <= sought:
        return least
    beyond = max(least, 1)
    while running.detectable(beyond) > sought:
        if beyond > _FURTHEST:
            return None
        least, beyond = beyond, beyond * 2
    while beyond - least > 1:
        middle = (least + beyond) // 2
        least, beyond = (middle, beyond) if running.detectable(middle) > sought else (least, middle)
    return beyond


class _WeightedMean:
    """The mean of the sessions on one side, as if all had been drawn with the same chance."""

    def __init__(self) -> None:
        self._weight = self._sum = 0.0

    def add(self, draw: Draw, value: float) -> None:
        if 0.0 < draw.chance < 1.0:
            self._weight += abs(draw.weight)
            self._sum += abs(draw.weight) * value

    @property
    def value(self) -> float | None:
        return self._sum / self._weight if self._weight else None
