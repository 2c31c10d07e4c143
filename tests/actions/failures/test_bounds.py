"""What of an output is looked at, by hooks and by learning alike."""

from afterwit.actions.failures.quick_look import END_CHARS, ends_of
from afterwit.actions.failures.shapes import lines_of


def test_an_output_loses_its_middle_only_if_it_is_huge() -> None:
    whole = "a" * END_CHARS + "b" * END_CHARS
    assert ends_of(whole) == whole
    huge = f"{whole[:END_CHARS]}lost{whole[END_CHARS:]}"
    assert ends_of(huge) == f"{whole[:END_CHARS]}\n{whole[END_CHARS:]}"


def test_lines_are_those_of_the_ends() -> None:
    huge = "first\n" + "x\n" * END_CHARS + "lost\n" + "y\n" * END_CHARS + "last"
    assert lines_of(huge) == ends_of(huge).split("\n")
    assert "lost" not in lines_of(huge)
