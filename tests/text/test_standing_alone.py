"""A piece that stands by itself."""

import pytest

from afterwit.text.standing_alone import place_alone


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("pear", 0),
        ("a pear.", 2),
        ("pears pear", 6),
        ("spear 'pear'", 7),
        ("my-pear", -1),
        ("pear/x", -1),
        ("pears", -1),
        ("", -1),
    ],
)
def test_a_piece_is_found_where_nothing_touches_it(text: str, at: int) -> None:
    assert place_alone("pear", text, ("-",), ("/",)) == at


def test_what_may_touch_it_is_the_callers() -> None:
    assert place_alone("pear", "'pear'", ("'",), ()) == -1
    assert place_alone("pear", "pear/x", (), ()) == 0
