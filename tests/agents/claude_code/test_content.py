import pytest

from afterwit.agents.claude_code.content import text_of_anything, text_of_result, without_reminders
from afterwit.agents.claude_code.records import ClaudePart

_REMINDER = "<system-reminder>inside</system-reminder>"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain\n", "plain\n"),
        (f"before\n\n{_REMINDER}\n", "before"),
        (f"{_REMINDER}\nafter", "after"),
        (f"one {_REMINDER}two{_REMINDER} three", "one two three"),
        (_REMINDER, ""),
        ("never <system-reminder> closed", "never <system-reminder> closed"),
        (f"{_REMINDER}a <system-reminder> open", "a <system-reminder> open"),
    ],
)
def test_reminders_are_cut_out(text: str, left: str) -> None:
    assert without_reminders(text) == left


def test_many_open_reminders_cost_one_look_each() -> None:
    text = "<system-reminder>" * 200_000
    assert without_reminders(text) == text


def test_a_result_can_be_a_string_a_list_a_block_or_nothing() -> None:
    assert text_of_result("out") == "out"
    assert text_of_result([ClaudePart(type="text", text="a"), "b", ClaudePart(type="image")]) == "a\nb\n[image]"
    assert text_of_result(ClaudePart(type="text", text="one")) == "one"
    assert text_of_result(None) == ""


def test_text_is_found_in_loose_shapes_without_pictures() -> None:
    assert text_of_anything(["a", {"type": "image", "source": {"data": "AAAA"}}, {"text": "b"}, 7]) == "a\n[image]\nb"
    assert text_of_anything({"type": ["odd"], "content": {"file": {"content": "deep"}}}) == "deep"


def test_depth_is_bounded() -> None:
    value: object = "bottom"
    for _ in range(500):
        value = [value]
    assert text_of_anything(value) == ""
