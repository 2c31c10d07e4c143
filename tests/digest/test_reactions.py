"""Corrections and thanks, by form."""

import pytest

from afterwit.digest.outcome import is_correction, is_thanks


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["Thanks!", "perfect", "LGTM", "works, now the next row", "Great work"])
def test_thanks_begin_like_thanks(text: str) -> None:
    assert is_thanks(text)
    assert not is_correction(text)


@pytest.mark.parametrize(
    "text",
    ["Now prune the pears", "no problem, go on", "Notice the third row", "The test says no error", "", "Add a ladder"],
)
def test_most_prompts_are_neither(text: str) -> None:
    assert not is_correction(text)
    assert not is_thanks(text)


def test_thanks_in_a_long_text_are_politeness() -> None:
    assert not is_thanks("Thanks. " + "Then prune the next row as well. " * 10)
