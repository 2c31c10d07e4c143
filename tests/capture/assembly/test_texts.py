from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.capture.assembly.texts import (
    TEXT_LIMIT,
    beginning,
    both_ends,
    excerpt_of_error,
    safe_body,
    safe_piece,
    safe_text,
)
from afterwit.redaction.markers import PLACEHOLDER, marked, unkeyed
from afterwit.redaction.redaction import Redactor

TOKEN = "ghp" + "_" + "q7Rk2ZsV9xLm4TnB8wYc1JdF6hGp3KaE5uXi"


def is_torn(text: str) -> bool:
    """Whether half of a secret or of a placeholder is in there. Answers itself: pytest would compare long texts."""
    return "ghp_" in text or "‹" in PLACEHOLDER.sub("", text)


@pytest.mark.parametrize("before", range(TEXT_LIMIT - 45, TEXT_LIMIT + 5, 3))
def test_a_secret_at_the_limit_leaves_no_half(redactor: Redactor, before: int) -> None:
    text = safe_text(f"{'word ' * (before // 5)}{'x' * (before % 5)} {TOKEN} and more" + " tail" * 5_000, redactor)
    assert len(text) <= TEXT_LIMIT
    assert not is_torn(text)


@pytest.mark.parametrize("before", range(12_100, 12_200, 7))
def test_a_secret_where_the_text_is_first_cut_leaves_no_half(redactor: Redactor, before: int) -> None:
    secrets = f"token={TOKEN} " * 60
    text = f"{secrets}{'y ' * ((before - len(secrets)) // 2)}{TOKEN} {'z ' * 5_000}"
    assert not is_torn(safe_text(text, redactor))


def test_a_short_text_stays_whole(redactor: Redactor) -> None:
    assert safe_text("", redactor) == ""
    assert safe_text("run the tests, please", redactor) == "run the tests, please"
    assert safe_text("a" * TEXT_LIMIT, redactor) == "a" * TEXT_LIMIT


def test_a_text_is_cleaned_before_it_is_redacted(redactor: Redactor) -> None:
    hidden = f"{TOKEN[:10]}\u200b{TOKEN[10:]}"
    assert "‹" in safe_text(f"use \x1b[31m{hidden}\x1b[0m", redactor)


@given(st.text(alphabet="ab‹›:-…\n", max_size=60), st.integers(0, 60))
@settings(max_examples=examples(60))
def test_a_beginning_is_one(text: str, limit: int) -> None:
    found = beginning(text, limit)
    assert text.startswith(found)
    assert len(found) <= limit


@for_every("limit", range(1, 40))
def test_a_placeholder_is_kept_whole_or_not_at_all(limit: int) -> None:
    text = "use ‹aws-key:3f9c2a› and ‹github-token:00ff00› now"
    same = "use ‹aws-key:111111› and ‹github-token:222222› now"
    assert unkeyed(beginning(text, limit)) == unkeyed(beginning(same, limit))
    assert unkeyed(both_ends(text, limit)) == unkeyed(both_ends(same, limit))


def test_both_ends_of_a_long_text_are_kept() -> None:
    assert both_ends("abcdefgh", 4) == "abcdefgh"
    assert both_ends("abcdefghi", 4) == "abcd\nfghi"


@for_every("before", range(370, 400))
def test_an_excerpt_does_not_end_in_half_a_placeholder(before: int) -> None:
    line = f"error: {'x' * (before - 7)}‹aws-key:3f9c2a› was refused"
    found = excerpt_of_error(line)
    assert len(found) <= 400
    assert "3f9c2a" not in unkeyed(found)
    assert "‹aws-key›" in unkeyed(found) or "‹" not in found


def test_a_piece_around_words_is_redacted_and_its_cut_ends_are_dropped(redactor: Redactor) -> None:
    secret = "ghp_" + "aB3" * 12
    for filler in (100, 3_000, 8_190, 20_000):
        text = (
            f"{'row ' * 10_000}{secret} {'x ' * (filler // 2)} ladder {'y ' * (filler // 2)}{secret}{' row' * 10_000}"
        )
        piece = safe_piece(text, ["ladder"], redactor)
        assert "ladder" in piece
        assert not any(secret[start : start + 12] in piece for start in range(len(secret) - 12))


@pytest.mark.parametrize("made", [safe_text, safe_body])
def test_notes_that_we_gave_to_an_agent_do_not_come_back(
    made: Callable[[str, Redactor], str], redactor: Redactor
) -> None:
    assert made(f"{marked('Prune in winter.')}\nPick the plums.", redactor).strip() == "Pick the plums."
