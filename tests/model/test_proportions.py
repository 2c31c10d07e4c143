"""Wilson's interval, against known values."""

import pytest

from afterwit.model.figures import Proportion


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634), (10, 100, 0.0552, 0.1744)],
)
def test_the_interval_is_the_known_one(hits: int, of: int, low: float, high: float) -> None:
    assert Proportion(hits, of).interval == pytest.approx((low, high), abs=1e-4)


def test_of_nothing_nothing_is_known() -> None:
    assert Proportion(0, 0).share is None
    assert Proportion(0, 0).interval == (0.0, 1.0)
