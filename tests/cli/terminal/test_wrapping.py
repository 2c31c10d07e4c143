"""Lines fit their width, whatever is in them, and lose nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.cli.terminal.output import cells, cut, wrap


@given(
    st.text(st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from(" \n-"), max_size=200),
    st.integers(20, 60),
)
@settings(max_examples=examples(150), deadline=None)
def test_no_line_is_wider_and_no_letter_is_lost(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_pipe_gets_lines_as_they_are() -> None:
    assert wrap("x" * 500 + "\n  y", None) == ["x" * 500, "  y"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three four five six", ["one two three four", "five six"]),
        ("- one two three four five six", ["- one two three four", "  five six"]),
        ("  12. one two three four", ["  12. one two three", "      four"]),
        ("    indented text that is long", ["    indented text", "    that is long"]),
        ("- " + "x" * 30, ["- " + "x" * 18, "  " + "x" * 12]),
        ("a  b   c", ["a  b   c"]),
        ("果" * 15, ["果" * 10, "果" * 5]),
    ],
)
def test_wrapping_keeps_the_shape(text: str, lines: list[str]) -> None:
    assert wrap(text, 20) == lines


def test_cutting_marks_what_is_missing() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
    assert cut("果果果", 5) == "果果…"
    assert cut("x" * 99, None) == "x" * 99
