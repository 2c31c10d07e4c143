"""A trial: a session with its value and the draws that were made in it; and how surprising its value was.

A draw decides by chance whether something is told, and the chance is recorded before. A session weighs 1/chance if it
was told, -1/(1 - chance) if it was not. This weight times the *surprise*, how far the value lies from what was usual
before, is its score; the mean of the scores is the effect of telling, without bias, whatever is taken for usual, as
long as that was settled before the draw. A session in which nothing was drawn only shows what is usual. Where one draw
holds for several sessions they are a *block*, which is compared as one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from math import ceil, exp, inf, isfinite, log, sqrt

import msgspec

_BORROWED = 2.0  # so many sessions of a stratum weigh as much as all others together
_FADING = 0.98  # of what a session weighs, with each that follows: half is gone after 34


class Draw(msgspec.Struct, frozen=True):
    """Whether something was told, and how probable that was before it was drawn."""

    is_told: bool
    chance: float

    @property
    def weight(self) -> float:
        """How much what was drawn counts, and for which side."""
        return 1 / self.chance if self.is_told else -1 / (1 - self.chance)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A session: where it belongs (repository and agent), what was measured in it, and what was drawn in it."""

    stratum: str
    value: float
    draws: tuple[Draw, ...] = ()


def surprises(trials: Iterable[Trial]) -> Iterator[float | None]:
    """How far each value lies from the mean of its stratum's past; None for the first of all, which has no past.

    A stratum with a short past borrows from all others, and the longer ago a session was, the less it counts. The
    present and the future are never looked at.
    """
    return block_surprises((trial,) for trial in trials)


def block_surprises(blocks: Iterable[Sequence[Trial]]) -> Iterator[float | None]:
    """The mean surprise of the sessions of each block, by what was usual before the block began."""
    of_strata: defaultdict[str, _FadingMean] = defaultdict(_FadingMean)
    of_all = _FadingMean()
    for block in blocks:
        if of_all.weight and block:
            usual = _BORROWED * of_all.sum / of_all.weight
            yield sum(trial.value - of_strata[trial.stratum].with_borrowed(usual) for trial in block) / len(block)
        else:
            yield None
        for trial in block:
            of_strata[trial.stratum].add(trial.value)
            of_all.add(trial.value)


class _FadingMean:
    """A sum of values and their weights, both of which fade with every value that is added."""

    __slots__ = ("sum", "weight")

    def __init__(self) -> None:
        self.sum = self.weight = 0.0

    def add(self, value: float) -> None:
        self.sum = self.sum * _FADING + value
        self.weight = self.weight * _FADING + 1

    def with_borrowed(self, borrowed: float) -> float:
        """The mean, with as much of others as is borrowed."""
        return (self.sum + borrowed) / (self.weight + _BORROWED)


BURN_IN = 10.0
TUNED_FOR = 500  # sessions at which the interval is tightest
_POWER_Z = 0.8416212335729143  # the quantile of 80 %


def mixture(alpha: float, tuned_for: int) -> float:
    """The precision of Robbins' mixture with which the boundary is about lowest after so many sessions."""
    rarity = -2 * log(alpha)
    return tuned_for / (rarity + log(rarity + 1))


def boundary(sessions: int, alpha: float, precision: float) -> float:
    """What the sum of scores of deviation 1 ever exceeds, up or down, with the probability alpha at most."""
    grown = sessions + precision
    return sqrt(grown * log(grown / (precision * alpha**2)))


class RunningEffect:
    """The effect of telling over the sessions so far. Sums alone are kept, so a look costs the same at any time.

    A session with several draws counts with the sum of their scores, and the effect is that of a draw. Not with their
    mean: where telling a first note spares the second draw, the mean takes that for an effect.
    """

    def __init__(self, alpha: float = 0.05, tuned_for: int = TUNED_FOR) -> None:
        self.sessions = self.draws = 0
        self.told = self.held_out = 0  # sessions in which something was; of several draws both can be true
        self._alpha = alpha
        self._precision = mixture(alpha, tuned_for)
        self._scores = self._scores_2 = self._scores_4 = 0.0  # sums of their powers
        self._draws_2 = 0  # the same of draws in a session
        self._scores_draws = 0.0
        self._surprises_2 = 0.0
        self._by_chance = 0.0  # what the squares of the scores would be, if telling changed nothing
        self._last_chance = 0.5

    def add(self, surprise: float, draws: tuple[Draw, ...]) -> None:
        """Takes in a session. A draw that could come out in one way only compares nothing and is left out."""
        drawn = [draw for draw in draws if 0.0 < draw.chance < 1.0]
        if not drawn:
            return
        count, told = len(drawn), sum(draw.is_told for draw in drawn)
        score = surprise * sum(draw.weight for draw in drawn)
        spread = sum(1 / (draw.chance * (1 - draw.chance)) for draw in drawn)
        self._last_chance = drawn[-1].chance
        self.sessions += 1
        self.draws += count
        self.told += told > 0
        self.held_out += told < count
        self._scores += score
        self._scores_2 += score**2
        self._scores_4 += score**4
        self._draws_2 += count**2
        self._scores_draws += score * count
        self._surprises_2 += surprise**2
        self._by_chance += spread * surprise**2

    @property
    def effect(self) -> float:
        """How much higher the value is for a draw that told."""
        return self._scores / self.draws if self.draws else 0.0

    @property
    def effective_sessions(self) -> float:
        """How many sessions of equal weight the scores are worth."""
        return self._scores_2**2 / self._scores_4 if self._scores_4 else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of a session's share in the effect."""
        if not self.draws:
            return 0.0
        effect = self._scores / self.draws
        of_scores = self._scores_2 - 2 * effect * self._scores_draws + effect * effect * self._draws_2
        return sqrt(max(of_scores, self._by_chance) * self.sessions) / self.draws

    @property
    def deviation_ahead(self) -> float:
        """The same for sessions to come, if they are like those before and drawn with the chance of the last one."""
        if not self.draws:
            return 0.0
        return sqrt(self._surprises_2 / (self.draws * self._last_chance * (1 - self._last_chance)))

    @property
    def radius(self) -> float:
        """Half the width of the interval; infinite during the burn-in."""
        if self.effective_sessions < BURN_IN:
            return inf
        return self.deviation * boundary(self.sessions, self._alpha, self._precision) / self.sessions

    @property
    def is_decided(self) -> bool:
        """Whether the interval leaves out zero."""
        return abs(self.effect) > self.radius

    def detectable(self, more: int = 0) -> float:
        """The smallest effect that would be seen with a probability of 80 % at this look, or so many sessions later."""
        sessions = self.sessions + more
        if not sessions:
            return inf
        variance = (self.sessions * self.deviation**2 + more * self.deviation_ahead**2) / sessions
        reach = boundary(sessions, self._alpha, self._precision) / sessions + _POWER_Z / sqrt(sessions)
        return sqrt(variance) * reach

    def burn_in_left(self) -> int | None:
        """About how many more sessions until something can be said; None before any score differs from 0."""
        effective = self.effective_sessions
        return ceil(max(0.0, BURN_IN / effective - 1) * self.sessions) if effective else None


_FURTHEST = 10_000_000  # sessions; an effect that needs more is not waited for


class Finding(Enum):
    """The word for it."""

    HELPS = "helps"
    HARMS = "harms"
    NO_EVIDENCE = "no-evidence"


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


def estimate_from(
    surprising: Iterable[tuple[Trial, float | None]],
    *,
    alpha: float = 0.05,
    sought: float | None = None,
    tuned_for: int = TUNED_FOR,
) -> Estimate:
    """The effect over trials in the order of their draws, each with its surprise; `needed` is about an effect of the
    size `sought`. Of many comparisons that have the same past each needs only the trials in which something was drawn.
    """
    running = RunningEffect(alpha, tuned_for)
    sums = {True: (0.0, 0.0), False: (0.0, 0.0)}  # of weights, and of values by weight
    for trial, surprise in surprising:
        if surprise is not None:
            running.add(surprise, trial.draws)
            for draw in trial.draws:
                if 0.0 < draw.chance < 1.0:
                    weight, total = sums[draw.is_told]
                    sums[draw.is_told] = weight + abs(draw.weight), total + abs(draw.weight) * trial.value
    means = {side: total / weight if weight else None for side, (weight, total) in sums.items()}
    is_begun, radius = running.sessions > 0, running.radius
    is_said = is_begun and isfinite(radius)
    return Estimate(
        sessions=running.sessions,
        told=running.told,
        held_out=running.held_out,
        mean_told=means[True],
        mean_held_out=means[False],
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


ALARM = 1000.0
_ODDS = (1 / 16, 1 / 4, 1 / 2, 1 / 1.25, 1.25, 2.0, 4.0, 16.0)  # the factors that are bet on


def capital_won(draws: Iterable[Draw]) -> float:
    """What bets against the chances of these draws make of 1, at its highest; looks after every draw. Draws that could
    come out in one way only are no draws."""
    logs = [0.0] * len(_ODDS)
    highest = 0.0
    for draw in draws:
        chance = draw.chance
        if not 0.0 < chance < 1.0:
            continue
        for bet, odds in enumerate(_ODDS):
            logs[bet] += (log(odds) if draw.is_told else 0.0) - log(1 - chance + odds * chance)
        top = max(logs)
        highest = max(highest, top + log(sum(exp(value - top) for value in logs) / len(logs)))
    return exp(min(highest, 700.0))


def are_unlikely(draws: Iterable[Draw]) -> bool:
    """Whether the draws came out in a way that is next to impossible by chance."""
    return capital_won(draws) >= ALARM
