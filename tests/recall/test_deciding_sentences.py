"""How far a sentence decides something."""

import pytest

from afterwit.recall.deciding_sentences import force, is_change, is_proposal


@pytest.mark.parametrize(
    "sentence",
    [
        "Let's go with the wooden crates.",
        "No, use steel instead of leather.",
        "The belt must never be oiled while it runs.",
        "Four attempts, then give up.",
        "We agreed on walnut.",
        "Call it quince-press.",
    ],
)
def test_what_settles_something_has_force(sentence: str) -> None:
    assert force(sentence) >= 0.7


@pytest.mark.parametrize(
    "sentence", ["Which belt do we use?", "Thanks!", "ok, go on", "Looks good.", "Let me think about it.", "Hm, I see."]
)
def test_questions_and_thanks_have_none(sentence: str) -> None:
    assert force(sentence) == 0


@pytest.mark.parametrize(
    "sentence", ["Commit this.", "yes, please push", "Run the tests again.", "ok, create the branch"]
)
def test_orders_of_the_moment_have_hardly_any(sentence: str) -> None:
    assert force(sentence) < 0.3


def test_a_thought_decides_less_than_a_decision() -> None:
    assert force("Maybe we should use walnut.") < force("We should use walnut.")


def test_a_change_says_so() -> None:
    assert is_change("Steel instead of leather, after all.")
    assert not is_change("Use steel belts.")


def test_an_agent_proposes_in_so_many_words() -> None:
    assert is_proposal("I suggest steel belts.")
    assert is_proposal("We will use steel belts.")
    assert not is_proposal("The belt was replaced instead of oiled.")
