from typing import Any

import pytest

from afterwit.agents.log_reader import Place
from afterwit.agents.pi.reader import message_readings, text_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Reading, Result

PLACE = Place("s", 0, 10, 1_777_629_600_000)


def read(**message: Any) -> list[Reading]:
    return list(message_readings(message, "1777629600000", PLACE))


def result_of(text: str, **more: Any) -> Result:
    found = read(role="toolResult", toolCallId="c1", content=[{"type": "text", "text": text}], **more)[0]
    assert isinstance(found, Event)
    assert found.result is not None
    return found.result


@pytest.mark.parametrize(
    ("text", "is_error", "code"),
    [
        ("no\n\nCommand exited with code 2", True, 2),
        ("Process exited with code 127.", True, 127),
        ("it said: Command exited with code 2, and went on", True, None),
        ("Command exited with code 2", False, None),
    ],
)
def test_the_exit_code_stands_at_the_end_of_a_failures_output(text: str, is_error: bool, code: int | None) -> None:
    assert result_of(text, isError=is_error) == Result(is_error=is_error, exit_code=code)


def test_details_count_more_than_words() -> None:
    details = {"exitCode": 3, "durationMs": 12}
    assert result_of("exited with code 2", isError=True, details=details) == Result(
        is_error=True, exit_code=3, duration_ms=12
    )


def test_a_command_in_the_background_has_a_name() -> None:
    result = result_of("still running", isError=False, details={"status": "running", "sessionId": "brisk-cove"})
    assert result.is_running
    assert result.running_as == "brisk-cove"


def test_a_command_that_the_person_stopped_is_cancelled() -> None:
    assert result_of("Command aborted", isError=True).is_cancelled


def test_a_command_that_the_person_ran_is_a_call_with_its_result() -> None:
    call, result = read(role="bashExecution", command="ls", output="a", exitCode=1, cancelled=False)
    assert isinstance(call, Event)
    assert isinstance(result, Event)
    assert (call.kind, call.arguments) == (EventKind.CALL, {"command": "ls"})
    assert (result.call_id, result.text) == (call.call_id, "a")
    assert result.result == Result(is_error=True, exit_code=1)


def test_a_call_or_a_result_without_an_id_is_a_problem() -> None:
    assert "without an id" in str(read(role="assistant", content=[{"type": "toolCall", "name": "ls"}])[0])
    assert "names no call" in str(read(role="toolResult", content="a")[0])


def test_texts_of_odd_shapes_are_empty() -> None:
    assert text_of(None) == ""
    assert text_of([None, 3, {"type": "text"}]) == ""
