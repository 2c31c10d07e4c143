"""The effect in figures and in one word."""

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measure.statistics.histories import estimate, history, measures

from afterwit.measure.statistics import Draw, Estimate, Finding, Trial


def between(low: float | None, high: float | None) -> Estimate:
    return Estimate(
        sessions=100,
        told=90,
        held_out=10,
        mean_told=1.0,
        mean_held_out=1.0,
        effect=0.0,
        low=low,
        high=high,
        deviation=1.0,
        detectable=1.0,
        needed=None,
    )


@pytest.mark.parametrize(
    ("low", "high", "is_less_better", "finding"),
    [
        (0.1, 0.5, False, Finding.HELPS),
        (0.1, 0.5, True, Finding.HARMS),
        (-0.5, -0.1, True, Finding.HELPS),
        (-0.5, -0.1, False, Finding.HARMS),
        (-0.1, 0.5, True, Finding.NO_EVIDENCE),
        (0.0, 0.0, True, Finding.NO_EVIDENCE),
        (None, None, True, Finding.NO_EVIDENCE),
    ],
)
def test_the_word_follows_from_the_interval_and_from_what_is_better(
    low: float | None, high: float | None, is_less_better: bool, finding: Finding
) -> None:
    assert between(low, high).finding(is_less_better=is_less_better) is finding


def test_without_draws_nothing_is_said() -> None:
    nothing = estimate([Trial(stratum="mill", value=3.0)] * 5, sought=1.0)
    assert (nothing.sessions, nothing.effect, nothing.low, nothing.needed) == (0, None, None, None)


def test_before_enough_sessions_carry_it_there_is_an_effect_but_no_interval() -> None:
    early = estimate(history(1, 30), sought=1.0)
    assert early.effect is not None
    assert early.low is None
    assert early.detectable is None
    assert early.needed is not None
    assert early.needed > 30


def test_a_large_effect_is_found_and_its_size_is_within_the_interval() -> None:
    later = estimate(history(2, 1500, chance=0.5, effect=-0.5, value=measures), sought=0.5)
    assert later.finding(is_less_better=True) is Finding.HELPS
    assert later.low is not None
    assert later.high is not None
    assert later.low < -0.5 * 9 * 4.3 / 3 < later.high  # half of the mean over strata and time
    assert later.told + later.held_out == later.sessions == 1499


def test_the_sessions_that_are_needed_are_those_after_which_the_effect_is_detectable() -> None:
    now = estimate(history(3, 400, chance=0.5), sought=1.0)
    assert now.detectable is not None
    assert now.needed is not None
    assert now.needed > 0
    assert estimate(history(3, 400, chance=0.5), sought=now.detectable * 1.01).needed == 0
    fewer = estimate(history(3, 400, chance=0.5), sought=-2.0).needed
    assert fewer is not None
    assert fewer < now.needed


def test_fewer_sessions_are_needed_once_more_of_them_are_held_out() -> None:
    before, after = history(4, 300, chance=0.9), history(5, 100, chance=0.5)
    raised, kept = estimate([*before, *after], sought=1.0), estimate([*before, *history(5, 100)], sought=1.0)
    assert raised.needed is not None
    assert kept.needed is not None
    assert raised.needed < kept.needed * 0.7


def test_a_changed_share_does_not_shift_the_means() -> None:
    """Sessions get harder just when more of them are held out; a plain mean would take that for an effect."""
    easy = [Trial(stratum="mill", value=1.0, draws=(Draw(number % 10 > 0, 0.9),)) for number in range(1000)]
    hard = [Trial(stratum="mill", value=5.0, draws=(Draw(number % 2 > 0, 0.5),)) for number in range(1000)]
    means = estimate([*easy, *hard])
    assert means.mean_told is not None
    assert means.mean_held_out is not None
    assert isclose(means.mean_told, 3.0, abs_tol=0.02)
    assert isclose(means.mean_held_out, 3.0, abs_tol=0.02)


def test_sessions_from_before_the_experiment_tighten_the_interval() -> None:
    """With sessions of very different strata, it helps to know what is usual in each."""
    trials = history(6, 300, chance=0.5, value=measures)
    past = [Trial(stratum=trial.stratum, value=trial.value) for trial in history(7, 300, value=measures)]
    informed, uninformed = estimate([*past, *trials]), estimate(trials)
    assert informed.deviation is not None
    assert uninformed.deviation is not None
    assert informed.deviation < uninformed.deviation


def test_a_stricter_alpha_widens_the_interval() -> None:
    trials = history(8, 500, chance=0.5)
    alone, of_twelve = estimate(trials), estimate(trials, alpha=0.05 / 12)
    assert alone.low is not None
    assert of_twelve.low is not None
    assert of_twelve.low < alone.low


@given(st.floats(-1000, 1000), st.floats(0.01, 100))
def test_another_unit_changes_the_figures_alike_and_another_zero_none(zero: float, unit: float) -> None:
    trials = history(9, 120, chance=0.5, value=measures)
    moved = [Trial(stratum=trial.stratum, value=zero + unit * trial.value, draws=trial.draws) for trial in trials]
    before, after = estimate(trials), estimate(moved)
    for name in ("effect", "low", "high", "deviation", "detectable"):
        assert isclose(getattr(after, name), unit * getattr(before, name), rel_tol=1e-6, abs_tol=1e-6)


@given(st.integers(0, 100), st.floats(0.2, 0.8))
def test_with_the_sides_swapped_the_effect_has_the_other_sign(seed: int, chance: float) -> None:
    trials = history(seed, 80, chance=chance)
    swapped = [
        Trial(
            stratum=trial.stratum,
            value=trial.value,
            draws=tuple(Draw(not draw.is_told, 1 - draw.chance) for draw in trial.draws),
        )
        for trial in trials
    ]
    before, after = estimate(trials), estimate(swapped)
    assert before.effect is not None
    assert after.effect is not None
    assert isclose(before.effect, -after.effect, abs_tol=1e-9)
    assert (before.told, before.held_out) == (after.held_out, after.told)
