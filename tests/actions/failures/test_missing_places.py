"""A path that an error says is not there."""

import pytest

from afterwit.actions.failures.quick_look import names_missing


@pytest.mark.parametrize(
    "error",
    [
        "cat: pears.yml: No such file or directory",
        "pears.yml does not exist",
        "EISDIR: read 'pears.yml'",
        "pears.yml: IS A DIRECTORY",
        "No such file: old-pears.yml, pears.yml.bak, 'pears.yml'",
    ],
)
def test_a_wrong_path_is_named(error: str) -> None:
    assert names_missing("pears.yml", error)


@pytest.mark.parametrize(
    "error",
    [
        "pears.yml is sour",
        "cat: old-pears.yml: No such file or directory",
        "cat: pears.yml.bak: No such file or directory",
        "cat: pears.yml/x: Not a directory",
        "cat: spears.yml: No such file or directory",
        "cat: plums.yml: No such file or directory",
    ],
)
def test_another_path_is_not(error: str) -> None:
    assert not names_missing("pears.yml", error)
