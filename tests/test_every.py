"""A test of many values fails if it fails with one of them, and names each that does."""

import pytest
from tests.every import for_every


def test_all_values_that_fail_are_named() -> None:
    @for_every("number, most", [(1, 2), (5, 2), (2, 2), (7, 3)])
    def small(number: int, most: int) -> None:
        assert number <= most

    with pytest.raises(AssertionError, match=r"(?s)2 of 4 fail\n\(5, 2\).*\(7, 3\)"):
        small()


def test_another_error_names_its_value() -> None:
    @for_every("word", ["1", "one"])
    def number(word: str) -> None:
        assert int(word)

    with pytest.raises(ValueError, match="one") as raised:
        number()
    assert raised.value.__notes__ == ["with ('one',)"]


def test_no_values_are_an_error() -> None:
    with pytest.raises(AssertionError, match="no values"):
        for_every("word", [])


@pytest.mark.parametrize("least", [0, -1])
@for_every("number", [1, 2])
def test_fixtures_and_other_parameters_are_given(number: int, least: int, request: pytest.FixtureRequest) -> None:
    assert number > least
    assert request.node.callspec.params == {"least": least}
