import tomllib
from pathlib import Path

import pytest
from tests.every import for_every

from afterwit.knowledge.likeness import alike, doubt, meaning, say_the_same

_HERE = Path(__file__).parent


def _pairs(name: str, label: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in tomllib.loads((_HERE / name).read_text())[label]]


@for_every("one, other", _pairs("sentence_pairs.toml", "different"))
def test_sentences_that_differ_never_say_the_same(one: str, other: str) -> None:
    assert not say_the_same(one, other)


@for_every("one, other", _pairs("sentence_pairs_later.toml", "different"))
def test_later_sentences_that_differ_never_say_the_same(one: str, other: str) -> None:
    assert not say_the_same(one, other)


def test_most_sentences_that_are_the_same_are_found() -> None:
    assert sum(say_the_same(*pair) for pair in _pairs("sentence_pairs.toml", "same")) == 25
    assert sum(say_the_same(*pair) for pair in _pairs("sentence_pairs_later.toml", "same")) == 6


def test_a_share_of_words_alone_would_merge_what_differs() -> None:
    different = _pairs("sentence_pairs.toml", "different")
    assert sum(alike(meaning(one), meaning(other)) >= 0.9 for one, other in different) == 15


@pytest.mark.parametrize("name", ["sentence_pairs.toml", "sentence_pairs_later.toml"])
def test_likeness_does_not_depend_on_the_side(name: str) -> None:
    for one, other in (*_pairs(name, "same"), *_pairs(name, "different")):
        assert doubt(meaning(one), meaning(other)) == doubt(meaning(other), meaning(one))


def test_near_misses_go_to_a_person() -> None:
    def asked(one: str, other: str) -> str:
        return doubt(meaning(one), meaning(other))

    assert asked("Mock the clock in tests.", "Do not mock the clock in tests.") == "may say the opposite"
    assert asked("Use `npm` instead of `yarn`.", "Use `yarn` instead of `npm`.") == "may say the same"
    assert not asked("Use Node 20 for the build.", "Use Node 22 for the build.")
    assert not asked("Run `make test` in the root.", "Run `make tests` in the root.")


def test_a_sentence_that_says_nothing_is_like_nothing() -> None:
    assert alike(meaning("It is."), meaning("It is.")) == 0.0
