"""Short pieces around what was searched for."""

from hypothesis import given
from hypothesis import strategies as st

from afterwit.text.words import marked, snippet

LONG = "row " * 200 + "the ladder is broken near the plum tree " + "row " * 200


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("two\n  lines", ["two"], 80) == "two lines"


def test_a_long_text_is_cut_around_the_words() -> None:
    piece = snippet(LONG, ["ladder", "plum"], 60)
    assert "ladder is broken near the plum" in piece
    assert piece.startswith("…")
    assert piece.endswith("…")


def test_the_place_with_most_words_wins() -> None:
    text = "plum " + "x " * 100 + "plum ladder " + "x " * 100
    assert "plum ladder" in snippet(text, ["plum", "ladder"], 40)


def test_words_are_marked_whatever_their_case() -> None:
    assert marked("Prune the plum, pruned.", ["prune"], "[", "]") == "[Prune] the plum, [pruned]."
    assert marked("a (b", ["("], "[", "]") == "a (b"


@given(text=st.text(max_size=300), wanted=st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_a_snippet_is_never_longer_than_asked(text: str, wanted: list[str]) -> None:
    assert len(snippet(text, wanted, 50)) <= 52
