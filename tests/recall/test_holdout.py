from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.recall.holdout import CHOICES, HELD, TOLD, Odds, draw, is_told, odds_for, odds_in

KEY = b"k" * 32


def arms_of(odds: Odds, sessions: int) -> Counter[str]:
    return Counter(odds.arm(KEY, "codex", f"session-{number}") for number in range(sessions))


def test_about_the_share_is_held_out() -> None:
    assert 420 < arms_of(odds_for(0.1, 0.0), 5_000)[HELD] < 580
    left_out = sum(odds_for(0.0, 0.1).leaves_out(KEY, "codex", str(number), "item") for number in range(5_000))
    assert 420 < left_out < 580


def test_the_arms_of_an_experiment_have_equal_chances() -> None:
    drawn = arms_of(odds_for(0.1, 0.1, CHOICES), 10_000)
    assert set(drawn) == set(CHOICES)
    assert all(1_850 < count < 2_150 for count in drawn.values())


@pytest.mark.parametrize(
    ("arm", "heard"),
    [
        ("told", ["start", "prompt", "before", "after", "recall"]),
        ("held", []),
        ("cold", []),
        ("block", ["start", "prompt"]),
        ("actions", ["before", "after"]),
        ("an arm of a later version", []),
    ],
)
def test_an_arm_says_at_which_moments_a_session_is_told_anything(arm: str, heard: list[str]) -> None:
    assert [moment for moment in ("start", "prompt", "before", "after", "recall") if is_told(arm, moment)] == heard


def test_odds_are_read_from_a_record_as_they_were_written() -> None:
    odds = odds_for(0.25, 0.5)
    read = odds_in({"odds": odds.arms, "item_odds": odds.item})
    assert read is not None
    assert (read.arms, read.item) == ({HELD: 0.25, TOLD: 0.75}, 0.5)
    for broken in ({}, {"odds": {}, "item_odds": 1}, {"odds": {"told": "all"}, "item_odds": 1}, {"odds": {"told": 1}}):
        assert odds_in(dict(broken)) is None


@settings(max_examples=examples(50))
@given(st.text(), st.text())
def test_a_draw_stays_as_it_is_and_lies_between_zero_and_one(session: str, item: str) -> None:
    assert draw(KEY, "codex", session, item) == draw(KEY, "codex", session, item)
    assert 0 <= draw(KEY, "codex", session, item) < 1


def test_shares_of_nothing_and_of_all() -> None:
    assert arms_of(odds_for(0.0, 0.0), 100) == {TOLD: 100}
    assert arms_of(odds_for(1.0, 0.0), 100) == {HELD: 100}


def test_another_key_agent_session_or_item_draws_anew() -> None:
    draws = {
        draw(KEY, "codex", "s"),
        draw(b"other", "codex", "s"),
        draw(KEY, "pi", "s"),
        draw(KEY, "codex", "t"),
        draw(KEY, "codex", "s", "item"),
    }
    assert len(draws) == 5
