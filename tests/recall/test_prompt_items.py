"""What of all that fits is said with the first prompt."""

from afterwit.guard.shown import ours
from afterwit.recall.decisions import Quote
from afterwit.recall.places import Place
from afterwit.recall.prompt_block import MOST_BITES, Bite, first_bites, likely_paths
from afterwit.recall.talks import USER


def test_unlikely_places_do_not_count() -> None:
    assert likely_paths([Place("press.py", 0.6), Place("docs.md", 0.1)]) == ("press.py",)


def test_the_first_of_many_are_taken() -> None:
    bites = [Bite(str(number), ours("Oil the belt. (0.80)")) for number in range(9)]
    assert first_bites(bites, ()) == bites[:MOST_BITES]


def test_what_a_quote_says_is_left_out_although_the_line_ends_with_a_confidence() -> None:
    said, other = (
        Bite("a", ours('Ada said: "Press quinces cold." (0.85)')),
        Bite("b", ours('Ada said: "Press pears." (0.85)')),
    )
    quote = Quote("Press quinces cold. Always.", USER, 0, "s")
    assert first_bites([said, other], (quote,)) == [other]
