"""Cleaned text shows what it says."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.redaction.hygiene import clean


@for_every(
    "text, expected",
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07done", "done"),
        ("\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b1mbold", "bold"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("zero\u200bwidth\u2060\ufeff", "zerowidth"),
        ("a\u202eb\u2066c\u200f", "abc"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("heart ❤\ufe0f", "heart ❤"),
        ("a<!-- hidden\norder -->b", "ab"),
        ("a<!-- never ends", "a never ends"),
        ("<!<!-- x -->-- y -->", ""),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("lone \ud800", "lone �"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("日本語 العربية हिन्दी 👍🏽", "日本語 العربية हिन्दी 👍🏽"),
    ],
)
def test_what_cannot_be_seen_is_gone(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert clean("long " * 100 + text) == "long " * 100 + expected


def test_a_comment_beyond_the_bound_loses_its_mark_alone() -> None:
    assert clean("<!--" + "x" * 30_000 + "-->") == "x" * 30_000 + "-->"


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(
        st.sampled_from(["<!--", "-->", "<", "!--", "\x1b", "[", "m", "\r", "\n", "\u200b", "\ud800", "é", "]", "\x07"])
    ).map("".join)
)
def test_cleaning_twice_equals_cleaning_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not set(once) & set("\x1b\r\u200b\ud800\x07")
    assert "<!--" not in once
