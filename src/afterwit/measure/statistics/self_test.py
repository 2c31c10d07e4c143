"""A self-test on the user's own data: how often the judgement finds an effect where there is none.

Past sessions are drawn again into arms that mean nothing, and each such history is judged after every session, by the
code that judges the real one. At most the share alpha of the histories may ever lead to a verdict.
"""

import random
from collections.abc import Iterable

from afterwit.measure.statistics.sequence import TUNED_FOR, RunningEffect
from afterwit.measure.statistics.trials import Draw, Trial, surprises
from afterwit.model.figures import Proportion


def self_test(
    trials: Iterable[Trial],
    *,
    chance: float,
    rounds: int = 200,
    seed: int = 0,
    alpha: float = 0.05,
    tuned_for: int = TUNED_FOR,
) -> Proportion:
    """In how many of the rounds a verdict was given at any look, though nothing had been told to anybody."""
    rng = random.Random(seed)  # noqa: S311
    values = [surprise for surprise in surprises(trials) if surprise is not None]
    verdicts = sum(_is_ever_decided(values, chance, rng, RunningEffect(alpha, tuned_for)) for _ in range(rounds))
    return Proportion(verdicts, rounds)


def _is_ever_decided(values: list[float], chance: float, rng: random.Random, running: RunningEffect) -> bool:
    told, held_out = (Draw(True, chance),), (Draw(False, chance),)
    for surprise in values:
        running.add(surprise, told if rng.random() < chance else held_out)
        if running.is_decided:
            return True
    return False
