"""What the last words of people and agents mean, told by their form."""

import pytest
from tests.every import for_every

from afterwit.digest.last_words import (
    TaskReport,
    is_coming_back,
    is_correction,
    is_giving_up,
    is_leaving,
    is_putting_off,
    is_refusal,
    is_thanks,
    is_undoing,
    read_report,
)


@for_every(
    "text",
    [
        "No, use the other saw",
        "that's not what I meant",
        "Stop. You broke the ladder",
        "why did you cut the branch?",
        "I said the small one",
        "it still fails",
        "please revert that",
        "You forgot the last row",
    ],
)
def test_a_correction_begins_like_one(text: str) -> None:
    assert is_correction(text)
    assert not is_thanks(text)


@for_every(
    "text",
    ["Thanks!", "perfect", "LGTM", "works, now the next row", "Great work", "ok thanks", "that did the trick", "谢谢"],
)
def test_thanks_begin_like_thanks(text: str) -> None:
    assert is_thanks(text)
    assert not is_correction(text)


@pytest.mark.parametrize("text", ["great, but it is still red", "thanks anyway", "Nice try, it does not work"])
def test_thanks_with_a_but_are_none(text: str) -> None:
    assert not is_thanks(text)


@for_every(
    "text",
    [
        "Now prune the pears",
        "no problem, go on",
        "Notice the third row",
        "The test says no error",
        "",
        "Add a ladder",
        "can you also give it to me without line breaks",
        "do I need to run it here",
        "I need to run the tests first, how?",
    ],
)
def test_most_prompts_are_none_of_these(text: str) -> None:
    assert not any(
        form(text) for form in (is_correction, is_thanks, is_refusal, is_giving_up, is_coming_back, is_leaving)
    )


def test_thanks_in_a_long_text_are_politeness() -> None:
    assert not is_thanks("Thanks. " + "Then prune the next row as well. " * 10)


@pytest.mark.parametrize(
    "text",
    ["it still crashes", "nope, same error", "that broke the gate", "didn't help", "tests fail now", "roll it back"],
)
def test_a_refusal_says_that_it_does_not_work(text: str) -> None:
    assert is_refusal(text)


def test_an_order_is_a_correction_and_no_refusal() -> None:
    assert is_correction("don't touch the ladder")
    assert not is_refusal("don't touch the ladder")


@pytest.mark.parametrize("text", ["revert it", "undo all of that please", "no that's worse, put it back"])
def test_work_is_taken_back(text: str) -> None:
    assert is_undoing(text)


@pytest.mark.parametrize(
    "text",
    ["never mind", "ok leave it, I'll do it by hand", "I changed my mind", "we'll continue tomorrow", "scratch that"],
)
def test_a_person_gives_up(text: str) -> None:
    assert is_giving_up(text)


def test_what_is_for_tomorrow_is_put_off() -> None:
    assert is_putting_off("I'll do the hyphens tomorrow")


def test_a_word_to_the_program_is_leaving() -> None:
    assert is_leaving("exit")
    assert not is_leaving("exit the loop early")


@for_every(
    "reply, report",
    [
        ("Done. All 12 tests pass.", TaskReport(is_done=True)),
        ("I am stuck.", TaskReport(cannot=True, left_open=True, admits=True)),
        ("The row is pruned.", TaskReport()),
        ("Open: the hyphens.", TaskReport(left_open=True)),
        ("Okay. It has not been applied.", TaskReport(cannot=True, left_open=True)),
        ("> it still fails\n\nFixed.", TaskReport(is_done=True)),
        ("```\n1 failed\n```\nFixed.", TaskReport(is_done=True)),
        ("Let me know if it works.", TaskReport(is_done=True)),
        ("Now I'll cut it.", TaskReport(is_intent=True)),
        ("", TaskReport()),
    ],
)
def test_a_reply_reports(reply: str, report: TaskReport) -> None:
    assert read_report(reply) == report
