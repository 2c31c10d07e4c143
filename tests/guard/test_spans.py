"""Places merge, never cut a character, and leave placeholders alone."""

from afterwit.guard.placeholders import SecretSpan, replaced, united


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
