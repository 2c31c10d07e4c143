import datetime as dt

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.model.prices import Prices, load_packaged, parse_prices, price_list
from afterwit.model.readings import Usage
from afterwit.model.settings import Rates

MILLION = 1_000_000


def at(day: str) -> int:
    return int(dt.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp() * 1000)


def table(**patterns: dict[str, object]) -> Prices:
    return Prices(parse_prices(patterns))


def test_the_four_kinds_of_tokens_have_their_own_rate_and_reasoning_is_part_of_output() -> None:
    found = table(m={"input": 1, "cache_read": 10, "cache_write": 100, "output": 1000})
    usage = Usage(input=MILLION, cache_read=2 * MILLION, cache_write=MILLION, output=MILLION, reasoning=MILLION)
    assert found.cost_usd("m", usage) == 1 + 20 + 100 + 1000


def test_a_cache_without_a_rate_costs_as_much_as_input() -> None:
    usage = Usage(cache_read=MILLION, cache_write=MILLION)
    assert table(m={"input": 3, "output": 9}).cost_usd("m", usage) == 6


def test_a_cache_write_that_is_kept_for_an_hour_has_its_own_rate() -> None:
    usage = Usage(cache_write=3 * MILLION, cache_write_1h=MILLION)
    assert table(m={"input": 1, "output": 0, "cache_write": 10, "cache_write_1h": 100}).cost_usd("m", usage) == 120
    assert table(m={"input": 1, "output": 0, "cache_write": 10}).cost_usd("m", usage) == 30
    assert price_list({"m": Rates(1.0, 0.0, None, 10.0, 100.0)}).cost_usd("m", usage) == 120


def test_every_claude_keeps_a_cache_for_an_hour_at_twice_its_input() -> None:
    claudes = {name: price for name, price in load_packaged().items() if name.startswith("claude-")}
    assert len(claudes) > 15
    for name, price in claudes.items():
        for rates in (price, *price.long):
            assert (name, rates.cache_write_1h) == (name, 2 * rates.input)


def test_fast_mode_has_prices_of_its_own() -> None:
    usage = Usage(input=MILLION, output=MILLION)
    costs = [price_list().cost_usd(f"claude-opus-{version}-fast", usage) for version in ("4-6", "4.7", "4-8", "5")]
    assert costs == [180, 180, 60, 60]


def test_a_response_that_names_no_model_can_be_priced_as_unknown() -> None:
    assert price_list({"unknown": Rates(1.0, 2.0)}).cost_usd("", Usage(input=MILLION)) == 1


@pytest.mark.parametrize(
    ("pattern", "model", "is_meant"),
    [
        ("GPT-5.*", "gpt-5.4", True),
        ("gpt-?.4", "openai/gpt-5.4", True),
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001", True),
        ("openai/gpt-5.4", "gpt-5.4", False),
        ("gpt-5", "gpt-5.4", False),
        ("unknown", "", True),
        ("unknown", "gpt-5.4", False),
    ],
)
def test_own_patterns_mean_what_the_configuration_page_says(pattern: str, model: str, is_meant: bool) -> None:
    own = Rates(1_000.0, 0.0)
    assert (price_list({pattern: own}).cost_usd(model, Usage(input=MILLION)) == 1_000) is is_meant


def test_of_several_own_patterns_the_longest_counts_and_nothing_of_the_packaged_price() -> None:
    own = price_list({"claude-*": Rates(1.0, 1.0), "claude-haiku-*": Rates(7.0, 1.0)})
    assert own.cost_usd("claude-haiku-4-5", Usage(cache_read=MILLION)) == 7


def test_a_model_without_a_price_is_unpriced() -> None:
    assert price_list().cost_usd("model-of-nobody-9", Usage(input=1)) is None
    assert price_list().cost_usd("", Usage(input=1)) is None


def test_the_longest_pattern_wins() -> None:
    found = Prices(parse_prices({"a*": {"input": 1, "output": 0}, "a-b*": {"input": 2, "output": 0}}))
    assert found.cost_usd("a-bc", Usage(input=MILLION)) == 2
    assert found.cost_usd("a-c", Usage(input=MILLION)) == 1


def test_the_users_own_rates_go_before_the_packaged_ones() -> None:
    found = price_list({"claude-*": Rates(1.0, 2.0)})
    assert found.cost_usd("claude-opus-4-6", Usage(input=MILLION, cache_read=MILLION, output=MILLION)) == 4
    assert found.cost_usd("gpt-5.4", Usage(output=MILLION)) == 15


def test_a_long_prompt_has_its_own_rates_for_the_whole_response() -> None:
    steps = [{"above": 10, "input": 5, "output": 5}, {"above": 20, "input": 9, "output": 9}]
    found = table(m={"input": 1, "output": 1, "long": steps})
    assert found.cost_usd("m", Usage(input=5, cache_read=5)) == pytest.approx(10 / MILLION)
    assert found.cost_usd("m", Usage(input=5, cache_read=5, cache_write=1)) == pytest.approx(55 / MILLION)
    assert found.cost_usd("m", Usage(input=21, output=1)) == pytest.approx(22 * 9 / MILLION)


def test_a_price_that_changed_counts_from_its_day_on() -> None:
    later = [
        {"from": dt.date(2026, 7, 30), "input": 1, "output": 0},
        {"from": dt.date(2026, 9, 1), "input": 2, "output": 0},
    ]
    found = table(m={"input": 5, "output": 0, "then": later})
    usage = Usage(input=MILLION)
    assert found.cost_usd("m", usage, at("2026-07-29")) == 5
    assert found.cost_usd("m", usage, at("2026-07-30")) == 1
    assert found.cost_usd("m", usage, at("2026-10-01")) == 2
    assert found.cost_usd("m", usage) == 2


@for_every(
    "model",
    [
        "claude-opus-4-6",
        "claude-opus-4.6",
        "Claude-Opus-4-6-20260205",
        "claude-opus-4-6[1m]",
        "claude-opus-4-6@20260205",
        "anthropic/claude-opus-4.6",
        "openrouter/anthropic/claude-opus-4.6",
        "us.anthropic.claude-opus-4-6-v1:0",
        "anthropic.claude-opus-4-6-20260205-v1:0",
    ],
)
def test_a_model_is_known_in_every_spelling(model: str) -> None:
    assert price_list().cost_usd(model, Usage(input=MILLION, output=MILLION)) == 30


@for_every(
    "model, output",
    [
        ("claude-opus-4-8", 25),
        ("claude-opus-4-1-20250805", 75),
        ("claude-opus-4-20250514", 75),
        ("claude-sonnet-4-6", 15),
        ("claude-haiku-4-5-20251001", 5),
        ("claude-fable-5", 50),
        ("gpt-5.5", 30),
        ("gpt-5.4", 15),
        ("gpt-5.4-mini", 4.5),
        ("gpt-5.3-codex-spark", 14),
        ("gpt-5.1-codex-max", 10),
        ("gpt-5-codex", 10),
        ("gemini-2.5-flash", 2.5),
        ("gemini-3-pro-preview", 12),
        ("gemini-2.5-pro-preview-05-06", 10),
        ("xai/grok-4.7", 6),
        ("kimi-k2-0905-preview", 2.5),
        ("qwen3-coder-plus-2025-09-23", 5),
        ("deepseek/deepseek-chat", 0.42),
        ("<synthetic>", 0),
    ],
)
def test_common_models_have_their_list_price(model: str, output: float) -> None:
    assert price_list().cost_usd(model, Usage(output=MILLION)) == output


@pytest.mark.parametrize(
    "model", ["ollama/llama3.1", "ollama_chat/qwen3:8b", "qwen3:32b", "llama3:latest", "lmstudio/x"]
)
def test_a_model_on_ones_own_machine_costs_nothing(model: str) -> None:
    assert price_list().cost_usd(model, Usage(input=MILLION, output=MILLION)) == 0


@pytest.mark.parametrize(
    "model", ["gpt-5.9", "claude-opus-9", "claude-sonnet-4-6-fast", "gpt-oss:120b-cloud", "gemini-9-pro"]
)
def test_a_relative_of_a_known_model_is_not_given_its_price(model: str) -> None:
    assert price_list().cost_usd(model, Usage(input=1)) is None


def test_the_packaged_prices_are_plausible() -> None:
    for pattern, price in load_packaged().items():
        for rates in (price, *price.long, *price.then):
            assert (rates.cache_read or 0) <= rates.input <= rates.output, pattern
        assert [step.above for step in price.long] == sorted({step.above for step in price.long}), pattern


def test_a_misspelled_entry_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        parse_prices({"m": {"input": 1, "outptu": 2}})


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.text(max_size=20))
def test_costs_are_never_negative_and_grow_with_tokens(some: int, more: int, model: str) -> None:
    found = table(m={"input": 1, "output": 2, "long": [{"above": 1000, "input": 2, "output": 3}]})
    less, all_of_it = found.cost_usd("m", Usage(input=some)), found.cost_usd("m", Usage(input=some + more))
    assert less is not None
    assert all_of_it is not None
    assert 0 <= less <= all_of_it
    assert found.cost_usd(f"other-{model}", Usage(input=some)) is None


@given(st.lists(st.integers(0, 5_000), max_size=12))
def test_a_sum_between_two_steps_costs_what_its_responses_cost(prompts: list[int]) -> None:
    found = table(
        m={"input": 1, "output": 2, "long": [{"above": 1_000, "input": 2, "output": 3}]},
        n={"input": 1, "output": 1, "then": [{"from": dt.date(2026, 1, 1), "input": 1, "output": 1, "long": []}]},
        o={"input": 1, "output": 1, "long": [{"above": 3_000, "input": 9, "output": 9}]},
    )
    assert found.steps == (1_000, 3_000)
    groups: dict[int, list[int]] = {}
    for prompt in prompts:
        groups.setdefault(sum(step < prompt for step in found.steps), []).append(prompt)
    for model in ("m", "o"):
        singly = sum(found.cost_usd(model, Usage(input=prompt)) or 0 for prompt in prompts)
        summed = sum(found.cost_usd(model, Usage(input=sum(all_)), None, max(all_)) or 0 for all_ in groups.values())
        assert summed == pytest.approx(singly)
