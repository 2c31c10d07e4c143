import pytest

from afterwit.agents.kimi.reader import outcome_of_code, outcome_of_context, outcome_of_wire, texts_of
from afterwit.model.readings import Result


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("<system>Command executed successfully.</system>", Result(is_error=False)),
        ("<system>Command failed with exit code: 4.</system>", Result(is_error=True, exit_code=4)),
        ("<system>ERROR: no such tool</system>", Result(is_error=True)),
        ("<system>`/w` is not a file.</system>", Result(is_error=True)),
        ("<system>The tool call is rejected by the user.</system>", Result(is_error=True)),
        ("no word of the client", Result()),
    ],
)
def test_a_context_tells_the_outcome_in_words(said: str, result: Result) -> None:
    assert outcome_of_context([{"type": "text", "text": said}]).result == result
    assert outcome_of_context(said).result == result


def test_words_of_the_output_itself_decide_nothing() -> None:
    content = [{"text": "<system>Found 2 matches.</system>"}, {"text": "ERROR: is not a file, does not exist"}]
    outcome = outcome_of_context(content)
    assert outcome.result.is_error is False
    assert outcome.text == "Found 2 matches.\nERROR: is not a file, does not exist"


def test_a_fault_is_one_also_with_an_output_behind_it() -> None:
    content = [{"text": "<system>Pattern `**` is not allowed.</system>"}, {"text": "a.py"}]
    assert outcome_of_context(content).result == Result(is_error=True)


def test_a_wire_has_a_flag() -> None:
    value = {"is_error": True, "output": "1 failed", "message": "Command failed with exit code: 1."}
    outcome = outcome_of_wire(value)
    assert outcome.text == "Command failed with exit code: 1.\n1 failed"
    assert outcome.result == Result(is_error=True, exit_code=1)
    assert outcome_of_wire({"is_error": False, "output": "fine"}).result == Result(is_error=False)


def test_kimi_code_puts_the_message_behind_the_output() -> None:
    outcome = outcome_of_code({"output": "no\nCommand failed with exit code: 2.", "isError": True, "durationMs": 9})
    assert outcome.result == Result(is_error=True, exit_code=2, duration_ms=9)
    assert outcome_of_code({"output": "Command failed with exit code: 2."}).result == Result(is_error=False)
    assert outcome_of_code({"output": "", "isError": True}, was_denied=True).result.is_denied


def test_what_is_no_text_has_a_placeholder() -> None:
    assert texts_of([{"type": "image_url"}, {"type": "text", "text": "a"}, {"type": "audio_url"}, 7]) == [
        "[image]",
        "a",
        "[audio]",
    ]
    assert texts_of(None) == []
