"""Stated chances against what came true."""

import random
from math import isclose, sqrt
from statistics import fmean, stdev

from hypothesis import given
from hypothesis import strategies as st

from afterwit.measure.note_changes import ConfidenceTest, calibration


def of(chance: float, came_true: bool, note: object = "") -> ConfidenceTest:
    return ConfidenceTest(0, "s1", str(note), chance, came_true)


TESTS = st.lists(st.builds(of, st.floats(0, 1), st.booleans(), st.integers(0, 5)), min_size=1, max_size=60)


def test_without_tests_there_is_nothing_to_say() -> None:
    assert calibration([]) is None


@given(TESTS)
def test_the_score_is_the_mean_squared_difference_and_the_parts_add_up(tests: list[ConfidenceTest]) -> None:
    result = calibration(tests)
    assert result is not None
    assert isclose(result.score, fmean((each.confidence - each.came_true) ** 2 for each in tests), abs_tol=1e-12)
    parts = result.reliability - result.resolution + result.uncertainty + result.within_bins
    assert isclose(result.score, parts, abs_tol=1e-12)
    assert sum(part.came_true.of for part in result.bins) == len(tests)
    assert all(part.low <= part.mean_chance <= part.high + 1e-9 for part in result.bins)


@given(st.lists(st.tuples(st.sampled_from([0.05, 0.25, 0.55, 0.95]), st.booleans()), min_size=1, max_size=60))
def test_with_one_chance_in_each_bin_the_three_parts_of_murphy_are_all(pairs: list[tuple[float, bool]]) -> None:
    result = calibration([of(*pair) for pair in pairs])
    assert result is not None
    assert isclose(result.within_bins, 0.0, abs_tol=1e-12)


def test_perfect_chances_have_the_whole_skill_and_the_base_rate_has_none() -> None:
    perfect = calibration([of(1.0, True), of(0.0, False)] * 10)
    base_rate = calibration([of(0.5, True), of(0.5, False)] * 10)
    assert perfect is not None
    assert base_rate is not None
    assert (perfect.score, perfect.skill) == (0.0, 1.0)
    assert (base_rate.skill, base_rate.resolution) == (0.0, 0.0)


def test_where_everything_came_true_there_is_no_skill_to_speak_of() -> None:
    result = calibration([of(0.8, True)] * 3)
    assert result is not None
    assert result.skill is None


def test_the_interval_is_the_ordinary_one_where_every_note_has_one_test() -> None:
    rng = random.Random(1)
    tests = [of(chance, rng.random() < chance, at) for at, chance in enumerate(rng.random() for _ in range(200))]
    result = calibration(tests)
    assert result is not None
    assert result.high is not None
    errors = [(each.confidence - each.came_true) ** 2 for each in tests]
    assert isclose(result.high - result.score, 1.959964 * stdev(errors) / sqrt(200))


def test_tests_that_stand_or_fall_together_count_once() -> None:
    rng = random.Random(2)
    alone = [of(0.7, rng.random() < 0.7, number) for number in range(40)]
    together = [test for test in alone for _ in range(10)]
    single, tenfold = calibration(alone), calibration(together)
    assert single is not None
    assert tenfold is not None
    assert single.low is not None
    assert tenfold.low is not None
    assert isclose(single.low, tenfold.low)


def test_a_single_note_has_no_interval() -> None:
    result = calibration([of(0.7, True, "a"), of(0.7, False, "a")])
    assert result is not None
    assert (result.low, result.high) == (None, None)
