"""Short pieces around what was searched for."""

from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.text import mark_words, snippet

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
    assert mark_words("Prune the plum, pruned.", ["prune"], "[", "]") == "[Prune] the plum, [pruned]."
    assert mark_words("a (b", ["("], "[", "]") == "a (b"


@given(text=st.text(max_size=300), wanted=st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_a_snippet_is_never_longer_than_asked(text: str, wanted: list[str]) -> None:
    assert len(snippet(text, wanted, 50)) <= 52


def test_no_word_is_cut_at_an_edge() -> None:
    words = [f"word{number}" for number in range(400)]
    text = " ".join(words)
    for number in (0, 7, 123, 399):
        for width in (30, 61, 80):
            piece = snippet(text, [f"word{number}"], width).strip("…")
            assert set(piece.split()) <= set(words)
            assert f"word{number}" in piece.split()


def test_a_text_without_spaces_is_cut_between_words() -> None:
    text = ";".join(f"name{number}=value{number}" for number in range(100))
    pieces = snippet(text, ["name50"], 60).strip("…").replace("=", ";").split(";")
    assert "name50" in pieces
    assert all(piece == "" or text.replace("=", ";").split(";").count(piece) == 1 for piece in pieces)


@given(text=st.text(alphabet="ab c-", max_size=200), width=st.integers(10, 60))
def test_the_edges_of_a_snippet_are_ends_of_words(text: str, width: int) -> None:
    piece = snippet(text, ["b"], width)
    flat = " ".join(text.split())
    inner = piece.strip("…")
    assert inner in flat
    if max(map(len, flat.replace("-", " ").split()), default=0) < width // 4:
        assert set(inner.replace("-", " ").split()) <= set(flat.replace("-", " ").split())
