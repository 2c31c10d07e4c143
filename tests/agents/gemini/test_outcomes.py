import pytest

from afterwit.agents.gemini.outcomes import outcome_of, unframed
from afterwit.model.readings import Result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 2\nSignal: 0", ("a\nb", 2)),
        ("Command: a\n b\nDirectory: lib\nStdout: (empty)\nStderr: no\nError: (none)\nExit Code: 0", ("Stderr: no", 0)),
        ("Output: a\nError: b\nError: c\nExit Code: 1", ("a\nError: b\nError: c", 1)),
        ("<untrusted_context>\nOutput: hi\nProcess Group PGID: 4\n</untrusted_context>", ("hi", None)),
        ("Output: Exit Code: 7 is printed\nExit Code: 1", ("Exit Code: 7 is printed", 1)),
        ("Output: (empty)\nExit Code: (none)", ("", None)),
        ("plain words\nExit Code: 3", ("plain words\nExit Code: 3", None)),
        ("", ("", None)),
    ],
)
def test_the_frame_around_a_commands_output_is_taken_off(text: str, expected: tuple[str, int | None]) -> None:
    assert unframed(text) == expected


def test_a_command_that_failed_is_told_by_its_exit_code() -> None:
    text, result = outcome_of("success", {"output": "Output: no\nExit Code: 2"})
    assert (text, result) == ("no", Result(is_error=False, exit_code=2))


def test_an_error_is_told_by_status_or_response() -> None:
    assert outcome_of("error", {"error": "File not found"}).result.is_error is True
    assert outcome_of("", {"error": "File not found"}).result.is_error is True
    assert outcome_of("", {"output": "fine"}).result.is_error is None


@pytest.mark.parametrize(
    "error", ["[Operation Cancelled] Reason: User did not allow tool call", "Tool execution denied by policy."]
)
def test_a_refusal_is_a_denial_and_no_cancellation(error: str) -> None:
    result = outcome_of("cancelled", {"error": error}).result
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
