"""What of an output is looked at, by hooks and by learning alike."""

import pytest

from afterwit.actions.failures.excerpt import lines_of
from afterwit.actions.quick_look import END_CHARS, ends_of, names_missing


def test_an_output_loses_its_middle_only_if_it_is_huge() -> None:
    whole = "a" * END_CHARS + "b" * END_CHARS
    assert ends_of(whole) == whole
    huge = f"{whole[:END_CHARS]}lost{whole[END_CHARS:]}"
    assert ends_of(huge) == f"{whole[:END_CHARS]}\n{whole[END_CHARS:]}"


def test_lines_are_those_of_the_ends() -> None:
    huge = "first\n" + "x\n" * END_CHARS + "lost\n" + "y\n" * END_CHARS + "last"
    assert lines_of(huge) == ends_of(huge).split("\n")
    assert "lost" not in lines_of(huge)


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
