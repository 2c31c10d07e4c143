"""What an output says of its call, where a log has no flag for it."""

import json
from typing import Any

import pytest

from afterwit.agents.messages import outcome_of

MISSED = "Could not find a match for old_string in the file"


def ended(**said: Any) -> tuple[str, bool | None]:
    outcome = outcome_of(json.dumps(said))
    return outcome.text, outcome.result.is_error


@pytest.mark.parametrize(
    "said",
    [
        {"content": "1|pears", "total_lines": 1, "truncated": False},
        {"content": "", "total_lines": 0, "error": None},
        {"bytes_written": 12, "dirs_created": True},
        {"matches": [{"path": "press.py", "line": 3}], "total_count": 1},
        {"total_count": 0},
        {"results": [{"url": "https://a.example", "content": "pears"}, {"url": "https://b.example", "error": "gone"}]},
    ],
)
def test_a_result_that_only_holds_what_came_of_the_call_is_no_unknown_end(said: dict[str, Any]) -> None:
    text, is_error = ended(**said)
    assert is_error is False
    assert json.loads(text) == said


@pytest.mark.parametrize(
    "said",
    [{"output": "3", "exit_code": 3}, {"status": "running", "results": []}, {"exit_code": 1, "content": "no pears"}],
)
def test_where_a_code_or_a_status_says_how_it_ended_nothing_else_does(said: dict[str, Any]) -> None:
    assert ended(**said)[1] is None


def test_a_call_for_several_pages_that_got_none_has_failed() -> None:
    pages = [{"url": "https://a.example", "error": "HTTP 404"}, {"url": "https://b.example", "error": "HTTP 404"}]
    assert ended(results=pages)[1] is True


def test_an_error_with_further_keys_is_told_by_its_words_and_not_as_json() -> None:
    assert ended(success=False, error=MISSED, file="press.py", similar=["a"]) == (MISSED, True)
    assert ended(error="File not found", hint="Did you mean press.py?", total_lines=0)[0] == (
        "File not found\nDid you mean press.py?"
    )
    assert ended(error={"message": "no page", "code": 7}, url="https://a.example") == ("no page", True)


def test_an_error_without_words_keeps_what_stands_beside_it() -> None:
    assert "pears" in ended(error=True, about="pears")[0]
