"""What acts instead of being seen is shown as a sign, and nothing is markup."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.web.answering import prose, visible


def test_escapes_of_terminals_are_seen() -> None:
    assert visible("\x1b[31mred\x1b[0m") == "␛[31mred␛[0m"


def test_what_turns_the_direction_of_writing_is_seen() -> None:
    assert visible("safe\u202eexe.txt\u2066") == "safe⟨202E⟩exe.txt⟨2066⟩"


def test_lines_tabs_and_letters_of_all_kinds_stay() -> None:
    assert visible("a\tb\r\nč 日本 🙂") == "a\tb\nč 日本 🙂"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Call `uv run <x>`, not `y`.", "Call <code>uv run &lt;x&gt;</code>, not <code>y</code>."),
        ("One ` alone <b>", "One ` alone &lt;b&gt;"),
        ("Nothing `` between", "Nothing  between"),
        ("`a\u202eb`", "<code>a⟨202E⟩b</code>"),
    ],
)
def test_what_stands_between_backticks_is_code_and_nothing_is_markup(said: str, shown: str) -> None:
    assert str(prose(said)) == shown


@given(st.text())
def test_nothing_hidden_is_left(text: str) -> None:
    assert not [
        letter for letter in visible(text) if unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t"
    ]
