from typing import Any

from afterwit.agents.copilot.meaning import Ledger, usage_of
from afterwit.model.readings import Usage


def metrics(**stated: int) -> dict[str, Any]:
    return {"gpt-5": {"usage": stated}}


def test_cached_tokens_are_part_of_the_stated_input() -> None:
    usage = usage_of({"inputTokens": 100, "cacheReadTokens": 30, "cacheWriteTokens": 20, "outputTokens": 5})
    assert usage == Usage(input=50, cache_read=30, cache_write=20, output=5)


def test_a_shutdown_adds_what_no_message_told() -> None:
    ledger = Ledger()
    ledger.add("gpt-5", Usage(output=40))
    assert list(ledger.settle(metrics(inputTokens=100, outputTokens=50))) == [("gpt-5", Usage(input=100, output=10))]


def test_a_second_shutdown_with_the_sums_of_the_session_adds_the_rest() -> None:
    ledger = Ledger()
    assert list(ledger.settle(metrics(inputTokens=300, outputTokens=60)))
    ledger.add("gpt-5", Usage(output=20))
    assert list(ledger.settle(metrics(inputTokens=400, outputTokens=80))) == [("gpt-5", Usage(input=100))]


def test_a_second_shutdown_with_the_sums_of_its_run_adds_these() -> None:
    ledger = Ledger()
    assert list(ledger.settle(metrics(inputTokens=300, outputTokens=60)))
    ledger.add("gpt-5", Usage(output=20))
    assert list(ledger.settle(metrics(inputTokens=100, outputTokens=20))) == [("gpt-5", Usage(input=100))]


def test_a_shutdown_that_tells_nothing_new_adds_nothing() -> None:
    ledger = Ledger()
    ledger.add("gpt-5", Usage(input=100, output=20))
    assert list(ledger.settle(metrics(inputTokens=100, outputTokens=20))) == []
    assert list(ledger.settle({"gpt-5": None, "gpt-6": {}})) == []
