"""Simulated users have the effect that they are said to have, and are judged by the code of the product."""

from statistics import fmean

import pytest
from bench.effect import judge, row
from bench.simulated_users import OUTCOMES, Outcome, User, sessions_of

_WILD = ("long tail", "counts with many zeros", "rarely yes", "mostly nothing")  # whose means take long to settle
_TAME = [outcome for outcome in OUTCOMES if outcome.name not in _WILD]


@pytest.mark.parametrize("outcome", _TAME, ids=lambda outcome: outcome.name)
def test_values_have_the_mean_that_is_expected_of_them(outcome: Outcome) -> None:
    values = [session.trial.value for session in sessions_of(User(outcome, sessions=4000), 1)]
    assert fmean(values) == pytest.approx(outcome.expected(6.0), rel=0.12)


def test_a_past_has_no_draws_and_later_sessions_are_drawn_with_another_chance() -> None:
    user = User(OUTCOMES[0], later_chance=0.5, sessions=10, before=5, draws=2, effect=-0.1)
    sessions = list(sessions_of(user, 1))
    chances = [[draw.chance for draw in session.trial.draws] for session in sessions]
    assert chances == [[]] * 5 + [[0.9, 0.9]] * 5 + [[0.5, 0.5]] * 5
    assert sessions[-1].effect == pytest.approx(-0.3)


def test_a_strong_effect_is_found_and_none_is_not() -> None:
    strong = judge(User(OUTCOMES[0], 0.5, effect=-0.5, sessions=300), 1)
    assert (strong.is_false, strong.is_covered, strong.is_found) == (False, True, True)
    nothing = judge(User(OUTCOMES[0], 0.5, sessions=100), 1)
    assert (nothing.is_false, nothing.is_found) == (False, False)


def test_a_row_counts_histories() -> None:
    shares = row("few", User(OUTCOMES[0], 0.5, sessions=60), 4)
    assert (shares["false_verdicts"], shares["covered"], shares["found"]) == (0.0, 1.0, None)
