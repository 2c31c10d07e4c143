"""The alarm for draws that did not come out as they were recorded."""

import random
from math import exp, isclose, log
from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from afterwit.measure.statistics import Draw, are_unlikely, capital_won


def drawn(seed: int, count: int, recorded: float, true: float) -> list[Draw]:
    rng = random.Random(seed)
    return [Draw(rng.random() < true, recorded) for _ in range(count)]


def test_true_chances_hardly_ever_alarm() -> None:
    assert sum(are_unlikely(drawn(seed, 400, 0.9, 0.9)) for seed in range(200)) <= 2


def test_a_side_that_is_lost_alarms() -> None:
    """Every third told session is lost: of ten, six told ones remain."""
    assert capital_won(drawn(1, 500, 0.9, 6 / 7)) > 1
    assert are_unlikely(drawn(1, 2000, 0.9, 6 / 7))
    assert are_unlikely(drawn(1, 200, 0.9, 1.0))


def test_a_changed_share_does_not_alarm_if_it_was_recorded() -> None:
    assert not are_unlikely([*drawn(1, 500, 0.9, 0.9), *drawn(2, 500, 0.5, 0.5)])


def test_draws_that_could_come_out_in_one_way_only_are_not_counted() -> None:
    assert capital_won([Draw(True, 1.0), Draw(False, 0.0)]) == 1.0


def test_many_impossible_draws_do_not_overflow() -> None:
    assert are_unlikely([Draw(False, 0.99)] * 5000)


@given(st.floats(0.01, 0.99))
def test_a_bet_is_fair(chance: float) -> None:
    """One draw: what the bets hold afterwards has the mean 1, so that the highest has at least that."""
    told, held_out = capital_won([Draw(True, chance)]), capital_won([Draw(False, chance)])
    assert chance * told + (1 - chance) * held_out >= 1 - 1e-9


def test_what_the_bets_hold_is_a_mean_of_likelihood_ratios() -> None:
    odds = (1 / 16, 1 / 4, 1 / 2, 1 / 1.25, 1.25, 2.0, 4.0, 16.0)
    shares = [factor * 0.9 / (0.1 + factor * 0.9) for factor in odds]
    ratios = [exp(binom.logpmf(20, 20, share) - binom.logpmf(20, 20, 0.9)) for share in shares]
    assert isclose(log(capital_won([Draw(True, 0.9)] * 20)), log(fmean(ratios)))
