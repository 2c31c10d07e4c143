from hypothesis import given, settings
from hypothesis import strategies as st

from afterwit.recall.holdout import draw, is_held_out

KEY = b"k" * 32


def test_about_the_share_is_held_out() -> None:
    held = sum(is_held_out(0.1, KEY, "codex", f"session-{number}") for number in range(5_000))
    assert 420 < held < 580


@settings(max_examples=50)
@given(st.text(), st.text())
def test_a_draw_stays_as_it_is_and_lies_between_zero_and_one(session: str, item: str) -> None:
    assert draw(KEY, "codex", session, item) == draw(KEY, "codex", session, item)
    assert 0 <= draw(KEY, "codex", session, item) < 1


def test_shares_of_nothing_and_of_all() -> None:
    assert not any(is_held_out(0.0, KEY, "codex", str(number)) for number in range(100))
    assert all(is_held_out(1.0, KEY, "codex", str(number)) for number in range(100))


def test_another_key_agent_session_or_item_draws_anew() -> None:
    draws = {
        draw(KEY, "codex", "s"),
        draw(b"other", "codex", "s"),
        draw(KEY, "pi", "s"),
        draw(KEY, "codex", "t"),
        draw(KEY, "codex", "s", "item"),
    }
    assert len(draws) == 5
