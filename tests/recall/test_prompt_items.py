"""What of all that fits is said with the first prompt."""

from afterwit.recall.places import LikelyPlace
from afterwit.recall.prompt_block import BlockLine, MarkedLine, fitting, likely_paths
from afterwit.redaction.shown import ours


def test_unlikely_places_do_not_count() -> None:
    assert likely_paths([LikelyPlace("press.py", 0.6), LikelyPlace("docs.md", 0.1)]) == ("press.py",)


def test_the_first_of_many_are_taken() -> None:
    lines = [BlockLine(str(number), ours("Oil the belt. (0.80)")) for number in range(9)]
    assert fitting([MarkedLine(0.0, line) for line in lines]) == lines[:3]


def test_all_that_a_prompt_means_are_taken() -> None:
    lines = [BlockLine(str(number), ours("Oil the belt. (0.80)")) for number in range(9)]
    assert fitting([MarkedLine(2.0, line) for line in lines]) == lines
