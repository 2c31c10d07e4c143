"""The interval around a running effect: its formulas, and its promise that one may look after every session."""

import random
from math import inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm
from tests.measure.statistics.histories import history, measures
from ville import AsymptoticCS
from ville._boundaries import best_rho, normal_mixture

from afterwit.measure.statistics import BURN_IN, Draw, RunningEffect, Trial, boundary, mixture, surprises

TOLD, HELD_OUT = (Draw(True, 0.5),), (Draw(False, 0.5),)


def running(trials: list[Trial], alpha: float = 0.05, tuned_for: int = 500) -> RunningEffect:
    effect = RunningEffect(alpha, tuned_for)
    for trial, surprise in zip(trials, surprises(trials), strict=True):
        if surprise is not None:
            effect.add(surprise, trial.draws)
    return effect


def scores(trials: list[Trial]) -> list[float]:
    pairs = ((surprise, trial.draws[0]) for trial, surprise in zip(trials, surprises(trials), strict=True))
    return [
        surprise / draw.chance if draw.is_told else -surprise / (1 - draw.chance)
        for surprise, draw in pairs
        if surprise is not None
    ]


def is_ever_decided(trials: list[Trial]) -> bool:
    effect = RunningEffect()
    for trial, surprise in zip(trials, surprises(trials), strict=True):
        if surprise is not None:
            effect.add(surprise, trial.draws)
            if effect.is_decided:
                return True
    return False


@given(st.integers(1, 100_000), st.floats(0.0001, 0.5, allow_nan=False), st.floats(0.1, 10_000, allow_nan=False))
def test_the_boundary_is_that_of_robbins(sessions: int, alpha: float, precision: float) -> None:
    assert isclose(boundary(sessions, alpha, precision), float(normal_mixture(sessions, alpha, precision)))


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.002])
def test_the_mixture_is_within_a_hundredth_of_the_best_after_the_sessions_it_is_tuned_for(alpha: float) -> None:
    ours = boundary(500, alpha, mixture(alpha, 500))
    best = boundary(500, alpha, best_rho(500, alpha))
    assert best <= ours <= best * 1.01


def test_the_interval_is_that_of_the_paper_where_scores_scatter_more_than_by_chance() -> None:
    trials = history(3, 1000, effect=-0.5, value=lambda rng, mean: rng.gauss(0.0, mean))
    effect = running(trials)
    paper = AsymptoticCS(alpha=0.05, t_opt=500).fit(scores(trials))
    low, high = paper.interval()
    assert isclose(effect.effect, paper.estimate_[-1])
    assert isclose(effect.radius, (high - low) / 2, rel_tol=0.01)


def test_the_scatter_is_at_least_what_chance_gives() -> None:
    effect = RunningEffect()
    for number in range(40):
        effect.add(3.0, HELD_OUT if number % 2 else TOLD)
    assert effect.effect == 0
    assert isclose(effect.deviation, 3.0 / 0.5)  # sqrt(9 / (0.5 * 0.5))


def test_nothing_is_said_while_a_few_sessions_outweigh_all_others() -> None:
    effect = RunningEffect()
    for number in range(200):
        effect.add(100.0 if number < 5 else 0.1, HELD_OUT if number % 2 else TOLD)
    assert effect.effective_sessions < BURN_IN
    assert effect.radius == inf
    assert not effect.is_decided


def test_nothing_is_said_where_nothing_ever_happens() -> None:
    effect = RunningEffect()
    for number in range(200):
        effect.add(0.0, HELD_OUT if number % 2 else TOLD)
    assert effect.radius == inf
    assert effect.burn_in_left() is None


def test_a_draw_that_could_come_out_in_one_way_only_is_none() -> None:
    effect = RunningEffect()
    effect.add(3.0, (Draw(True, 1.0), Draw(False, 0.0)))
    effect.add(3.0, ())
    assert (effect.sessions, effect.effect) == (0, 0.0)


def test_what_is_detectable_is_found_four_times_of_five() -> None:
    effect = running(history(1, 300, chance=0.5, value=measures))
    error = effect.deviation / effect.sessions**0.5

    def missed(size: float) -> float:
        return float(norm.cdf(effect.radius, size, error)) - 0.2

    assert isclose(effect.detectable(), brentq(missed, 0, 100), rel_tol=1e-6)


def test_one_note_that_spares_the_next_draw_is_no_effect() -> None:
    """Who is told the first note does not get to the second; the value depends on neither."""
    rng = random.Random(5)
    effect, by_mean = RunningEffect(), 0.0
    for _ in range(20_000):
        surprise = rng.gauss(2.0, 1.0)
        draws = [Draw(rng.random() < 0.5, 0.5)]
        if not draws[0].is_told:
            draws.append(Draw(rng.random() < 0.5, 0.5))
        effect.add(surprise, tuple(draws))
        by_mean += surprise * sum(2 if draw.is_told else -2 for draw in draws) / len(draws) / 20_000
    assert abs(effect.effect) < 0.1
    assert by_mean > 0.9


@pytest.mark.parametrize("chance", [0.9, 0.5])
def test_of_histories_without_an_effect_one_in_twenty_at_most_is_ever_decided(chance: float) -> None:
    decided = sum(is_ever_decided(history(seed, 250, chance=chance)) for seed in range(150))
    assert decided <= 8


def test_the_true_effect_is_within_the_interval_at_all_looks_in_nineteen_histories_of_twenty() -> None:
    misses = 0
    for seed in range(100):
        rng, effect, is_missed = random.Random(seed), RunningEffect(), False
        for _ in range(300):
            is_told = rng.random() < 0.8
            effect.add(rng.gauss(-1.0 if is_told else 0.0, 2.0), (Draw(is_told, 0.8),))
            is_missed = is_missed or abs(effect.effect + 1.0) > effect.radius
        misses += is_missed
    assert misses <= 5


def test_an_effect_is_found_and_has_the_right_sign() -> None:
    effect = running(history(2, 1500, chance=0.5, effect=-0.5, value=measures))
    assert effect.is_decided
    assert effect.effect < 0
