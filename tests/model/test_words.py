"""Words of a text, one after the other and counted."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.text import roots_of, word_counts, words_of


def test_identifiers_are_taken_apart_and_endings_cut() -> None:
    assert words_of("the basketTotals of src/harvesting.py") == ["basket", "total", "src", "harvest"]


@given(st.text(alphabet="aAbBeErRsStT-_1 ", max_size=80))
def test_words_are_counted_as_they_come(text: str) -> None:
    assert word_counts(text) == Counter(words_of(text))


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("crate", "crates"),
        ("press", "presses"),
        ("case", "cases"),
        ("template", "templates"),
        ("release", "releases"),
        ("rebase", "rebased"),
        ("cache", "caching"),
        ("address", "addresses"),
        ("branch", "branches"),
    ],
)
def test_one_and_several_of_a_thing_have_the_same_root(one: str, several: str) -> None:
    assert roots_of(one) == roots_of(several)
    assert len(roots_of(f"{one} basket")) == 2


def test_words_are_found_in_every_script() -> None:
    assert words_of("Прогони тесты: `make cider`") == ["прогони", "тесты", "cider"]
    assert words_of("Prüfe die Äpfel — bitte") == ["prüfe", "die", "äpfel", "bitte"]
    assert words_of("压榨苹果，cider") == ["cider", "压榨", "榨苹", "苹果"]
    assert words_of("梨") == ["梨"]


@given(st.text(alphabet="aAbBeE-_1 é压榨Ж", max_size=80))
def test_words_of_every_script_are_counted_as_they_come(text: str) -> None:
    assert word_counts(text) == Counter(words_of(text))


@given(st.text(alphabet="aAbBeErRsStT-_13 ./", max_size=80))
def test_a_quotation_mark_that_is_not_ascii_changes_no_word_beside_it(text: str) -> None:
    assert words_of(f"{text} “") == words_of(text)
