"""A running effect and its confidence sequence: an interval that may be looked at after every session.

An ordinary interval of 95 % is right at one look that was fixed beforehand; looked at daily, it misleads far more
often. The intervals here hold at all looks at once. They are asymptotic (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas:
"Time-uniform central limit theory and asymptotic confidence sequences"), with Robbins' mixture of normals as their
boundary. Two things keep them honest while sessions are few:

- How far scores scatter is poorly known while few sessions were held out. But if telling changed nothing, values and
  draws would have nothing to do with each other, and the scatter would follow from the values of all sessions and the
  chances alone. The larger of both is taken.
- Nothing is said while a few sessions outweigh all others: those that were held out, where that is rare, or those in
  which something happened that rarely does. `BURN_IN` says how many sessions of equal weight the scores must be worth.
"""

from math import ceil, inf, log, sqrt

from afterwit.measure.statistics.trials import Draw

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
        weight = spread = 0.0
        told = held_out = 0
        for draw in draws:
            chance = draw.chance
            if not 0.0 < chance < 1.0:
                continue
            told += draw.is_told
            held_out += not draw.is_told
            weight += draw.weight
            spread += 1 / (chance * (1 - chance))
            self._last_chance = chance
        count = told + held_out
        if not count:
            return
        score, square = weight * surprise, surprise * surprise
        score_2 = score * score
        self.sessions += 1
        self.draws += count
        self.told += told > 0
        self.held_out += held_out > 0
        self._scores += score
        self._scores_2 += score_2
        self._scores_4 += score_2 * score_2
        self._draws_2 += count * count
        self._scores_draws += score * count
        self._surprises_2 += square
        self._by_chance += spread * square

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
