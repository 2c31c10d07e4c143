from typing import Any

import pytest

from afterwit.agents.copilot.meaning import outcome_of
from afterwit.model.readings import Result


def result_of(text: str, **more: Any) -> Result:
    return outcome_of({"success": True, "result": {"content": text}, **more}).result


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hi\n<shellId: 0 completed with exit code 0>", 0),
        ("<exited with exit code 128>", 128),
        ("<command with shellId: 3 exited with exit code -1>", -1),
        ("it ended <exited with exit code 3> and went on", None),
        ("hi", None),
    ],
)
def test_the_exit_code_stands_in_the_last_line_of_the_output(text: str, code: int | None) -> None:
    assert result_of(text).exit_code == code


def test_the_stated_exit_code_counts_more_than_the_text() -> None:
    assert result_of("<exited with exit code 0>", shellExecution={"exitCode": 2}).exit_code == 2


def test_a_command_that_still_runs_has_a_name_to_poll_it_by() -> None:
    result = result_of("<command with shellId: 22 is still running after 30 seconds. Use read_bash to wait.>")
    assert result.is_running
    assert result.running_as == "22"


def test_a_failure_has_its_message_for_an_output() -> None:
    outcome = outcome_of({"success": False, "error": {"message": "Path does not exist", "code": "failure"}})
    assert outcome.text == "Path does not exist"
    assert outcome.result == Result(is_error=True)


@pytest.mark.parametrize("error", [{"code": "rejected"}, {"code": "denied"}, {"message": "The user rejected this."}])
def test_a_refusal_is_a_denial(error: dict[str, str]) -> None:
    assert outcome_of({"success": False, "error": error}).result.is_denied
    assert not outcome_of({"success": True, "result": {"content": "The user rejected this."}}).result.is_denied


def test_a_refusal_that_was_noted_before_counts() -> None:
    assert outcome_of({"success": False, "error": {"code": "failure"}}, was_denied=True).result.is_denied


def test_an_abort_is_a_cancellation() -> None:
    assert outcome_of({"success": False, "error": {"code": "aborted"}}).result.is_cancelled


def test_what_says_nothing_is_unknown() -> None:
    assert outcome_of({}).result == Result()
