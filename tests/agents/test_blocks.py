from typing import Any

import pytest
from tests.every import for_every

from afterwit.agents.messages import (
    Answered,
    Asked,
    Other,
    SaidBlock,
    Thought,
    blocks_of,
    ended,
    inside_tags,
    without_tags,
)
from afterwit.model.readings import Result


@for_every(
    "content, blocks",
    [
        ("hello", [SaidBlock("hello")]),
        (" ", []),
        (None, []),
        (5, []),
        ([{"text": "bare"}, "string", None, 3, ""], [SaidBlock("bare"), SaidBlock("string")]),
        ({"type": "text", "text": "alone"}, [SaidBlock("alone")]),
        ([{"type": "image", "source": {}}, {"type": "document"}], [SaidBlock("[image]"), SaidBlock("[document]")]),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking", "data": "x"}], [Thought("hm")]),
        ([{"type": "tool_use", "id": "a", "name": "Bash", "input": {"x": 1}}], [Asked("a", "Bash", {"x": 1})]),
        ([{"type": "tool_use", "name": "Bash", "input": "make"}], [Asked("", "Bash", {"raw": "make"})]),
        ([{"type": "tool_use", "id": "a"}], [Other("tool_use")]),
        ([{"type": "hologram"}, {"type": 5}], [Other("hologram"), Other("")]),
    ],
)
def test_content_of_any_shape_is_cut_into_blocks(content: Any, blocks: list[Any]) -> None:
    assert blocks_of(content) == blocks


def test_a_result_carries_its_whole_block() -> None:
    block = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "out"}], "is_error": True}
    assert blocks_of([block]) == [Answered("a", "out", True, block)]


@pytest.mark.parametrize(
    ("text", "is_error", "result"),
    [
        ("fine", False, Result(is_error=False)),
        ("denied by the user", None, Result()),
        ("Request denied by the user", True, Result(is_error=True)),
        ("cancelled by user", True, Result(is_error=True, is_cancelled=True)),
        ('{"error": "cancelled by user"}', True, Result(is_error=True)),
    ],
)
def test_only_the_words_of_an_error_tell_that_it_was_stopped(text: str, is_error: bool | None, result: Result) -> None:
    assert ended(text, is_error) == result


def test_tags_are_taken_out_with_what_is_in_them() -> None:
    text = 'before <a>one</a> between <a mode="x">two</a> <b>three'
    assert without_tags(text, "a", "b") == ("before  between", '<a>one</a>\n<a mode="x">two</a>\n<b>three')
    assert inside_tags(text, "a", "b") == "one\ntwo\nthree"
    assert without_tags(" untouched ", "a") == (" untouched ", "")
    assert inside_tags("<ab>no</ab>", "a") == ""
