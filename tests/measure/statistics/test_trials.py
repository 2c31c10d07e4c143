"""Drawn sessions: what is usual comes from the past alone."""

from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from afterwit.measure.statistics import Draw, RunningEffect, Trial, surprises

VALUES = st.lists(st.tuples(st.sampled_from("ab"), st.floats(-1000, 1000)), min_size=2, max_size=30)


def of(stratum: str, value: float) -> Trial:
    return Trial(stratum=stratum, value=value)


def test_the_first_session_of_all_has_no_past() -> None:
    assert list(surprises([of("mill", 3.0)])) == [None]


def test_a_new_stratum_is_like_all_others_and_an_old_one_like_itself() -> None:
    old = [of("mill", 10.0)] * 100
    *_, new = surprises([*old, of("orchard", 50.0)])
    assert new == 40.0
    *_, known = surprises([*old, *([of("orchard", 50.0)] * 100), of("orchard", 50.0)])
    assert known is not None
    assert 0 < known < 2


@given(VALUES, st.floats(-1000, 1000))
def test_neither_the_present_nor_the_future_changes_what_is_usual(
    values: list[tuple[str, float]], other: float
) -> None:
    trials = [of(*value) for value in values]
    *before, last = surprises(trials)
    *same, changed = surprises([*trials[:-1], of(trials[-1].stratum, other)])
    assert before == same
    assert last is not None
    assert changed is not None
    assert isclose(trials[-1].value - last, other - changed, abs_tol=1e-6)


@given(st.floats(0.05, 0.95), st.floats(-100, 100), st.floats(-100, 100))
def test_the_mean_score_over_both_sides_is_the_effect_whatever_was_usual(
    chance: float, told: float, held_out: float
) -> None:
    """Each side taken as often as it is drawn: w * value has the mean `told - held_out`."""
    effect = RunningEffect()
    effect.add(told, (Draw(True, chance),))
    score_told = effect.effect
    effect = RunningEffect()
    effect.add(held_out, (Draw(False, chance),))
    assert isclose(chance * score_told + (1 - chance) * effect.effect, told - held_out, abs_tol=1e-9)
