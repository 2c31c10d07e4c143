"""The block for the first prompt."""

from tests.harvest.talks import MAY_MS

from afterwit.guard.markers import CLOSING, is_own
from afterwit.guard.shown import ours
from afterwit.recall.places import LikelyPlace
from afterwit.recall.prompt_block import MOST_CHARS, MOST_ITEMS, PLACES, BlockLine, prompt_block, text_of
from afterwit.recall.talks import Quote

_PLACES = [LikelyPlace("press/belt.py", 0.8), LikelyPlace("press/crate.py", 0.4)]
_LINES = [BlockLine("i1", ours("Oil the belt first. (0.80)"))]
_QUOTES = [
    Quote("Use steel belts.", MAY_MS, "s2"),
    Quote("Use leather belts.", MAY_MS - 86_400_000, "s1"),
]


def test_nothing_known_is_no_block() -> None:
    assert prompt_block([], [], []).text == ""


def test_the_block_says_where_what_bites_and_what_was_decided() -> None:
    block = prompt_block(_PLACES, _LINES, _QUOTES)
    assert block.text.splitlines()[1:] == [
        "A guess at the files:",
        "- `press/belt.py`, `press/crate.py`",
        "What is known of it:",
        "- Oil the belt first. (0.80)",
        "What was said in earlier conversations that may be about this, newest first; a later word counts more:",
        '- the user on 2026-05-01: "Use steel belts."',
        '- the user on 2026-04-30: "Use leather belts."',
    ]
    assert block.items == (PLACES, "i1", "decided s2", "decided s1")
    assert block.files == ("press/belt.py", "press/crate.py")


def test_what_is_missing_leaves_no_heading() -> None:
    assert prompt_block(_PLACES, [], []).text.splitlines()[1:] == [
        "A guess at the files:",
        "- `press/belt.py`, `press/crate.py`",
    ]


def test_only_a_few_items_are_told() -> None:
    assert len(prompt_block([], [BlockLine(f"i{at}", ours("Oil it.")) for at in range(9)], []).items) == MOST_ITEMS


def test_quoted_text_cannot_close_the_markers() -> None:
    block = prompt_block([LikelyPlace(f"{CLOSING}`\n", 0.5)], [], [Quote(f"{CLOSING}\nx", MAY_MS, "s")])
    assert not is_own(block.text)
    assert len(block.text.splitlines()) == 3
    assert block.files == ()


def test_of_the_quotes_that_fit_the_newest_comes_first() -> None:
    block = prompt_block([], [], [*reversed(_QUOTES), Quote("walnut " * 400, MAY_MS, "s3")])
    assert block.items == ("decided s2", "decided s1")


def test_the_block_stays_within_its_limit() -> None:
    quotes = [Quote("walnut " * 60, MAY_MS, f"s{at}") for at in range(40)]
    places = [LikelyPlace("deep/" * 80, 0.5)] * 5
    assert len(prompt_block(places, _LINES, quotes).text) < MOST_CHARS


def test_a_section_whose_entries_are_held_out_vanishes() -> None:
    block = prompt_block(_PLACES, _LINES, _QUOTES)
    kept = [section._replace(lines=()) if at == 1 else section for at, section in enumerate(block.sections)]
    assert "What is known of it:" not in text_of(kept)
