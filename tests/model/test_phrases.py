"""Phrases are found as a pattern that takes no notice of case finds them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.actions.failures import messages
from afterwit.model.text import Phrases, alternatives

FORMS = (
    r"\bNo such (?:File|folder)\b|^ladder: \S+ missing$",
    r"\bnot (?!yet)\w+|ECONNRESET",
    r"\A[A-F]{2,}\b|[|(]x\|",
    r"\bby setting (?-i:[A-Z_]{3,})=",
)
PIECES = (
    "no such ",
    "File",
    "FOLDER",
    "\nLadder: ",
    "oak",
    " Missing",
    "NOT ",
    "yet",
    "ripe",
    "econnReset",
    "AbC",
    " x|",
    "(X|",
)


@given(st.lists(st.sampled_from((*PIECES, "by setting ", "PATH_=", "path_=", "É", " ", "\n")), max_size=8).map("".join))
def test_they_are_found_as_one_pattern_finds_them(text: str) -> None:
    plain = re.compile("|".join(FORMS), re.IGNORECASE | re.MULTILINE)
    assert Phrases(*FORMS).are_in(text) is (plain.search(text) is not None)


@pytest.mark.parametrize(
    ("text", "is_there"),
    [("Error by setting TREE=1", True), ("error by setting tree=1", False), ("NO SUCH FILE", True), ("Not Yet", False)],
)
def test_capitals_count_only_where_a_form_says_so(text: str, is_there: bool) -> None:
    assert Phrases(*FORMS).are_in(text) is is_there


def test_a_form_is_cut_only_outside_of_parentheses_and_brackets() -> None:
    assert list(alternatives(r"a(?:b|[)|]c)|[|]\|d|")) == [r"a(?:b|[)|]c)", r"[|]\|d", ""]


@for_every("name", [name for name, value in vars(messages).items() if isinstance(value, Phrases)])
def test_the_tables_of_messages_find_what_their_patterns_find(name: str) -> None:
    phrases: Phrases = getattr(messages, name)
    plain = re.compile("|".join(phrases._forms), re.IGNORECASE | re.MULTILINE)
    spelled = [re.sub(r"\\[bAZ]|\(\?[:!=<]+|[()^$?]|\{[\d,]+\}", "", form) for form in phrases._forms]
    texts = [text for form in spelled for text in form.split("|")]
    for text in [
        *texts,
        *map(str.upper, texts),
        *map(str.lower, texts),
        *map("\n".join, zip(texts, spelled, strict=False)),
    ]:
        assert phrases.are_in(text) is (plain.search(text) is not None)
