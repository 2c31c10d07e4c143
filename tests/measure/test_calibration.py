import random

import pytest
from tests.knowledge.drafting import NOW_MS, draft, piece, pieces
from tests.measure.simulated_histories import planted

from afterwit.harvest.harvester import id_of
from afterwit.measure.calibration import Calibration, Forecast, calibrate, forecasts, next_forecasts


def _calibrated(pairs: list[Forecast]) -> Calibration:
    result = calibrate(pairs, random.Random(7))
    assert result is not None
    return result


def _pairs(confidence: float, confirmed: int, of: int, name: str = "") -> list[Forecast]:
    return [Forecast(confidence, at < confirmed, f"{name}{confidence}-{at}") for at in range(of)]


def test_a_perfect_forecast_takes_all_uncertainty_away() -> None:
    result = _calibrated([*_pairs(1.0, 6, 6), *_pairs(0.0, 0, 4)])
    assert (result.brier, result.reliability, result.skill) == (0.0, 0.0, 1.0)
    assert result.resolution == result.uncertainty == pytest.approx(0.24)


def test_always_saying_the_base_rate_has_no_skill() -> None:
    result = _calibrated(_pairs(0.6, 6, 10))
    assert (result.skill, result.reliability, result.resolution) == (0.0, 0.0, 0.0)


def test_confidence_in_the_wrong_things_does_harm() -> None:
    assert _calibrated([*_pairs(0.9, 1, 10), *_pairs(0.1, 9, 10)]).skill < -1


def test_known_values() -> None:
    """Brier: (8 * 0.04 + 2 * 0.64 + 5 * 0.09 + 5 * 0.49) / 20. The base rate is 13 of 20."""
    result = _calibrated([*_pairs(0.8, 8, 10), *_pairs(0.3, 5, 10)])
    assert result.brier == pytest.approx(0.225)
    assert result.base_rate == 0.65
    assert result.reliability == pytest.approx(0.5 * 0.2**2)
    assert result.resolution == pytest.approx(0.15**2)
    assert result.uncertainty == pytest.approx(0.2275)
    assert result.brier == pytest.approx(result.reliability - result.resolution + result.uncertainty, abs=1e-4)


def test_nothing_is_said_of_too_little() -> None:
    assert calibrate([], random.Random(7)) is None
    assert calibrate(_pairs(0.9, 5, 5), random.Random(7)) is None


def test_the_interval_is_drawn_by_item() -> None:
    told = [*_pairs(0.9, 45, 50, "a"), *_pairs(0.2, 10, 50, "b")]
    one_item_each = _calibrated(told)
    few_items = _calibrated([pair._replace(item=str(at % 5)) for at, pair in enumerate(told)])
    assert one_item_each.skill == few_items.skill
    assert one_item_each.skill_interval != few_items.skill_interval
    assert one_item_each.skill_interval[0] < one_item_each.skill < one_item_each.skill_interval[1]


def test_forecasts_know_only_earlier_stories() -> None:
    first, second, third = (piece(name, days_ago=ago) for name, ago in (("a", 9), ("b", 6), ("c", 3)))
    against = piece("d", days_ago=1, is_against=True)
    told = list(forecasts([draft(evidence=(against, third, first, second))]))
    assert [pair.is_confirmed for pair in told] == [True, True, False]
    assert [round(pair.confidence, 2) for pair in told] == [0.6, 0.7, 0.75]


def test_a_story_that_was_shown_the_item_is_no_test_of_it() -> None:
    one = draft(evidence=pieces(3))
    shown = frozenset(("story 1", "story 2"))
    assert list(forecasts([one], {id_of(one): shown})) == []


def test_a_story_that_is_undecided_says_nothing() -> None:
    both = (piece("b", at=1, days_ago=1), piece("b", at=2, days_ago=1, is_against=True))
    assert list(forecasts([draft(evidence=(piece("a", days_ago=3), *both))])) == []


def test_a_new_story_tests_what_was_believed_before_it() -> None:
    before = [
        draft("Known.", evidence=pieces(3)),
        draft("Untouched."),
        draft("Gone."),
        draft("Met.", evidence=(piece("new"),)),
    ]
    after = [
        draft("Known.", evidence=(*pieces(3), piece("new", is_against=True))),
        draft("Untouched."),
        draft("Met.", evidence=(piece("new"), piece("new", at=2))),
        draft("Fresh.", evidence=(piece("new"),)),
    ]
    (told,) = next_forecasts(before, after, "new", NOW_MS)
    assert (told.item, told.is_confirmed, round(told.confidence, 2)) == (id_of(before[0]), False, 0.75)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_confidence_has_skill_on_planted_truths(seed: int) -> None:
    result = _calibrated(list(forecasts(planted(300, random.Random(seed)))))
    assert result.skill > 0.1
    assert result.skill_interval[0] > 0
    assert result.reliability < 0.03


def test_where_nothing_can_be_told_apart_there_is_no_skill() -> None:
    result = _calibrated(list(forecasts(planted(300, random.Random(4), strengths=(0.6,)))))
    assert result.skill < 0.05
