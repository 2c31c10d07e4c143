"""Placeholders are typed, keyed and removable."""

import re

from afterwit.guard.placeholders import PLACEHOLDER, placeholder, unkeyed


def test_a_placeholder_has_a_type_and_a_short_hash() -> None:
    assert re.fullmatch("‹aws-key:[0-9a-f]{4,}›", placeholder("aws-key", "value", b"key"))
    assert PLACEHOLDER.fullmatch(placeholder("user", "x", b"key"))


def test_it_depends_on_the_value_and_on_the_key() -> None:
    marks = {placeholder("token", value, key) for value in ("a", "b") for key in (b"1", b"2")}
    assert len(marks) == 4


def test_a_text_and_its_bytes_get_the_same_mark() -> None:
    assert placeholder("token", "ü\ud800", b"k") == placeholder("token", b"\xc3\xbc\xed\xa0\x80", b"k")


def test_unkeyed_leaves_the_type_and_other_text() -> None:
    assert unkeyed("a ‹token:3f9c2a› b ‹user:00aa› ‹x› 7 ‹ 8") == "a ‹token› b ‹user› ‹x› 7 ‹ 8"
    assert unkeyed("nothing") == "nothing"
