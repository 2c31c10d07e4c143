"""Placeholders are typed, keyed and removable."""

import re

from afterwit.redaction.markers import PLACEHOLDER, SecretSpan, placeholder, replaced, united, unkeyed


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


def test_overlapping_places_become_one_under_the_first_type() -> None:
    assert united([SecretSpan(4, 9, "b"), SecretSpan(0, 6, "a"), SecretSpan(0, 6, "c")], b"0123456789") == [
        SecretSpan(0, 9, "a")
    ]


def test_a_cut_falls_between_characters() -> None:
    data = "aéb".encode()
    assert united([SecretSpan(2, 3, "x")], data) == [SecretSpan(1, 3, "x")]
    assert united([SecretSpan(0, 2, "x")], data) == [SecretSpan(0, 3, "x")]


def test_a_placeholder_is_not_replaced_again() -> None:
    data = "‹token:12ab34›".encode()
    assert united([SecretSpan(0, len(data), "x"), SecretSpan(3, 8, "y")], data) == []


def test_every_place_goes_through_the_mark() -> None:
    assert (
        replaced(b"abcdef", [SecretSpan(1, 2, "x"), SecretSpan(4, 6, "y")], lambda kind, value: kind.encode() + value)
        == b"axbcdyef"
    )
