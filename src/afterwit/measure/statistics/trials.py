"""A trial: a session with its value and the draws that were made in it; and how surprising its value was.

A draw decides by chance whether something is told. The chance is recorded before, and a session counts the more the
less probable its side was: 1/chance if it was told, -1/(1 - chance) if it was not. This weight times the *surprise*,
how far the value lies from what was usual before, is the score of the session. The mean of the scores is the effect of
telling, without bias, whatever is taken for usual, as long as that was settled before the draw: difficulty may drift.

A session in which nothing was drawn is a trial too, which only shows what is usual. So sessions from before the
experiment, or from a time without one, are given in the same list.

Where one draw holds for several sessions, as for all of a day, they are a *block*: what was usual is settled before the
first of them, and the block is compared as one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

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


class ArmTrial(msgspec.Struct, frozen=True, kw_only=True):
    """A session of an experiment with several arms, and how probable each arm was for it."""

    stratum: str
    value: float
    arm: str
    chances: Mapping[str, float]


def contrast(trials: Iterable[ArmTrial], arm: str, reference: str) -> Iterator[Trial]:
    """The comparison of two arms of several: who came into either came into the first with a known chance.

    Sessions of other arms remain in the list and show what is usual.
    """
    for trial in trials:
        of_both = trial.chances.get(arm, 0.0) + trial.chances.get(reference, 0.0)
        is_compared = trial.arm in (arm, reference) and of_both > 0
        draws = (Draw(trial.arm == arm, trial.chances.get(arm, 0.0) / of_both),) if is_compared else ()
        yield Trial(stratum=trial.stratum, value=trial.value, draws=draws)


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
