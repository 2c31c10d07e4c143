"""Caps: what is reserved counts, and none is ever passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.errors import UsageError
from afterwit.model.settings import ReadingSettings
from afterwit.reader.ledger import Purse, ReadingEstimate, ReadingSpent
from afterwit.store.rows.readings import SpentSince

NOTHING = ReadingSpent(SpentSince(0.0, 0), SpentSince(0.0, 0))
CAPS = ReadingSettings(usd_per_day=1.0, usd_per_month=2.0, tokens_per_day=100, tokens_per_month=150)


def cost(usd: float | None, tokens: int = 10) -> ReadingEstimate:
    return ReadingEstimate(tokens, 0, usd)


def test_what_is_reserved_is_gone() -> None:
    purse = Purse(CAPS, NOTHING)
    assert [purse.reserve(cost(0.4), "m") for _ in range(4)] == [True, True, False, False]


def test_the_month_holds_where_the_day_would_not() -> None:
    spent = ReadingSpent(SpentSince(0.0, 0), SpentSince(1.9, 0))
    assert not Purse(CAPS, spent).reserve(cost(0.2), "m")
    assert Purse(CAPS, spent).reserve(cost(0.1), "m")


def test_a_model_without_a_price_is_held_to_tokens() -> None:
    purse = Purse(CAPS, ReadingSpent(SpentSince(5.0, 40), SpentSince(5.0, 40)))
    assert [purse.reserve(cost(None, 30), "m") for _ in range(3)] == [True, True, False]


def test_a_budget_needs_a_price() -> None:
    with pytest.raises(UsageError, match="No price is known for 'm'"):
        Purse(CAPS, NOTHING, 0.5).reserve(cost(None), "m")


def test_a_model_that_costs_nothing_is_not_held() -> None:
    purse = Purse(CAPS, NOTHING)
    assert all(purse.reserve(cost(0.0, 10_000), "m") for _ in range(50))


@given(
    st.lists(st.floats(0.0, 0.5)),
    st.floats(0.0, 2.0),
    st.floats(0.0, 3.0),
    st.none() | st.floats(0.0, 3.0),
)
def test_no_cap_is_passed_whatever_is_asked(
    wanted: list[float], today: float, this_month: float, budget: float | None
) -> None:
    purse = Purse(CAPS, ReadingSpent(SpentSince(today, 0), SpentSince(today + this_month, 0)), budget)
    taken = sum(usd for usd in wanted if purse.reserve(cost(usd), "m"))
    left = min(1.0 - today, 2.0 - today - this_month, *([budget] if budget is not None else []))
    assert taken <= max(0.0, left) + 1e-9
