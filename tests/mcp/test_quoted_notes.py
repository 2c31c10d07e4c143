"""Answers stay between their markers and within their limit."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.mcp.notes import notes, one_line
from afterwit.redaction.markers import CLOSING, OPENING, without_own
from afterwit.redaction.shown import ours


@settings(max_examples=examples(60))
@given(st.lists(st.text(max_size=40) | st.sampled_from([OPENING, CLOSING]), max_size=20), st.integers(50, 300))
def test_notes_are_one_block_of_ours_and_bounded(lines: list[str], most: int) -> None:
    text = notes(map(ours, lines), most)
    assert without_own(text) == ""
    assert len(text) <= most + len(OPENING) + len(CLOSING) + 40


def test_what_is_left_out_is_counted() -> None:
    assert (
        notes([ours("one"), ours("two"), ours("three")], 9)
        == f"{OPENING}\none\ntwo\n(1 more lines left out)\n{CLOSING}"
    )


@settings(max_examples=examples(60))
@given(st.text(max_size=400), st.integers(1, 50))
def test_a_foreign_text_is_one_short_line(text: str, most: int) -> None:
    line = one_line(text, most)
    assert len(line) <= most
    assert len(line.splitlines()) <= 1
