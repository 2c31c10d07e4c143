"""Pricing sums: exact where a price is known, silent where none is."""

from afterwit.model.prices import Price, Prices
from afterwit.sessions.cost import Spending, cost_of
from afterwit.store.rows.session_list import SpendSum

PRICES = Prices({"model-a": Price(1.0, 2.0)})


def row(model: str = "model-a", stated: float | None = None, tokens: int = 1_000_000, responses: int = 2) -> SpendSum:
    return SpendSum(1, "codex", "one", "", model, 0, tokens, responses, tokens, 0, 0, tokens, 0, stated)


def spending(*rows: SpendSum) -> Spending:
    found = Spending()
    for one in rows:
        found.add(one, cost_of(one, PRICES))
    return found


def test_a_known_model_has_its_price() -> None:
    assert spending(row()).cost_usd == 3.0


def test_an_unknown_model_is_unpriced() -> None:
    found = spending(row("model-z"))
    assert (found.cost_usd, found.unpriced, found.is_partial) == (None, 2, False)


def test_some_unknown_models_make_the_cost_a_lower_bound() -> None:
    found = spending(row(), row("model-z"))
    assert (found.cost_usd, found.unpriced, found.is_partial) == (3.0, 2, True)


def test_what_the_log_states_goes_before_the_list() -> None:
    assert spending(row(stated=0.5)).cost_usd == 0.5
    assert spending(row("model-z", stated=0.5)).cost_usd == 0.5


def test_responses_without_tokens_need_no_price() -> None:
    assert spending(row("<synthetic>", tokens=0)).cost_usd == 0.0


def test_nothing_spent_costs_nothing_known() -> None:
    assert Spending().cost_usd is None
