"""Words of a text, one after the other and counted."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.text import word_counts, words_of


def test_identifiers_are_taken_apart_and_endings_cut() -> None:
    assert words_of("the basketTotals of src/harvesting.py") == ["basket", "total", "src", "harvest"]


@given(st.text(alphabet="aAbBeErRsStT-_1 ", max_size=80))
def test_words_are_counted_as_they_come(text: str) -> None:
    assert word_counts(text) == Counter(words_of(text))
