"""Stated chances against what came true."""

import random
from math import isclose, sqrt
from statistics import fmean, stdev

from hypothesis import given
from hypothesis import strategies as st

from afterwit.measure.confidence import Forecast, calibration

FORECASTS = st.lists(
    st.builds(Forecast, st.floats(0, 1), st.booleans(), st.integers(0, 5) | st.none()), min_size=1, max_size=60
)


def test_without_forecasts_there_is_nothing_to_say() -> None:
    assert calibration([]) is None


@given(FORECASTS)
def test_the_score_is_the_mean_squared_difference_and_the_parts_add_up(forecasts: list[Forecast]) -> None:
    result = calibration(forecasts)
    assert result is not None
    assert isclose(result.score, fmean((each.chance - each.is_true) ** 2 for each in forecasts), abs_tol=1e-12)
    parts = result.reliability - result.resolution + result.uncertainty + result.within_bins
    assert isclose(result.score, parts, abs_tol=1e-12)
    assert sum(part.came_true.of for part in result.bins) == len(forecasts)
    assert all(part.low <= part.mean_chance <= part.high + 1e-9 for part in result.bins)


@given(st.lists(st.tuples(st.sampled_from([0.05, 0.25, 0.55, 0.95]), st.booleans()), min_size=1, max_size=60))
def test_with_one_chance_in_each_bin_the_three_parts_of_murphy_are_all(pairs: list[tuple[float, bool]]) -> None:
    result = calibration([Forecast(*pair) for pair in pairs])
    assert result is not None
    assert isclose(result.within_bins, 0.0, abs_tol=1e-12)


def test_perfect_forecasts_have_the_whole_skill_and_the_base_rate_has_none() -> None:
    perfect = calibration([Forecast(1.0, True), Forecast(0.0, False)] * 10)
    base_rate = calibration([Forecast(0.5, True), Forecast(0.5, False)] * 10)
    assert perfect is not None
    assert base_rate is not None
    assert (perfect.score, perfect.skill) == (0.0, 1.0)
    assert (base_rate.skill, base_rate.resolution) == (0.0, 0.0)


def test_where_everything_came_true_there_is_no_skill_to_speak_of() -> None:
    result = calibration([Forecast(0.8, True)] * 3)
    assert result is not None
    assert result.skill is None


def test_the_interval_is_the_ordinary_one_where_forecasts_are_independent() -> None:
    rng = random.Random(1)
    forecasts = [Forecast(chance, rng.random() < chance) for chance in (rng.random() for _ in range(200))]
    result = calibration(forecasts)
    assert result is not None
    assert result.high is not None
    errors = [(each.chance - each.is_true) ** 2 for each in forecasts]
    assert isclose(result.high - result.score, 1.959964 * stdev(errors) / sqrt(200))


def test_forecasts_that_stand_or_fall_together_count_once() -> None:
    rng = random.Random(2)
    alone = [Forecast(0.7, rng.random() < 0.7, number) for number in range(40)]
    together = [forecast for forecast in alone for _ in range(10)]
    single, tenfold = calibration(alone), calibration(together)
    assert single is not None
    assert tenfold is not None
    assert single.low is not None
    assert tenfold.low is not None
    assert isclose(single.low, tenfold.low)


def test_a_single_cluster_has_no_interval() -> None:
    result = calibration([Forecast(0.7, True, "a"), Forecast(0.7, False, "a")])
    assert result is not None
    assert (result.low, result.high) == (None, None)
