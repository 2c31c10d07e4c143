import pytest

from afterwit.agents.gemini.reader import outcome_of
from afterwit.model.readings import Result


def test_a_command_that_failed_is_told_by_its_exit_code() -> None:
    text, result = outcome_of("success", {"output": "Output: no\nExit Code: 2"})
    assert (text, result) == ("no", Result(is_error=False, exit_code=2))


def test_an_error_is_told_by_status_or_response() -> None:
    assert outcome_of("error", {"error": "File not found"}).result.is_error is True
    assert outcome_of("", {"error": "File not found"}).result.is_error is True
    assert outcome_of("", {"output": "fine"}).result.is_error is None


@pytest.mark.parametrize("reason", ["User did not allow tool call", "User denied execution."])
def test_a_refusal_is_a_denial_and_no_cancellation(reason: str) -> None:
    result = outcome_of("cancelled", {"error": f"[Operation Cancelled] Reason: {reason}"}).result
    assert result.is_denied
    assert not result.is_cancelled


def test_a_stop_is_a_cancellation() -> None:
    result = outcome_of("cancelled", {"error": "[Operation Cancelled] User cancelled the operation."}).result
    assert result.is_cancelled
    assert not result.is_denied


def test_words_of_a_successful_output_are_no_denial() -> None:
    assert not outcome_of("success", {"output": "the request was denied by policy"}).result.is_denied


def test_without_a_response_the_display_speaks() -> None:
    assert outcome_of("success", {}, "Wrote 3 lines").text == "Wrote 3 lines"
    assert outcome_of("success", {}, {"fileDiff": "+a", "fileName": "b"}).text == "+a"
    assert outcome_of("success", {"answer": 42}).text == '{"answer":42}'
    assert outcome_of("success", {}).text == ""
