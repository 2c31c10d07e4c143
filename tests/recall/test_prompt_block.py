"""The block for the first prompt."""

from afterwit.recall.places import LikelyPlace
from afterwit.recall.prompt_block import MOST_CHARS, MOST_ITEMS, PLACES, BlockLine, prompt_block, text_of
from afterwit.redaction.markers import CLOSING, is_own
from afterwit.redaction.shown import ours

_PLACES = [LikelyPlace("press/belt.py", 0.8), LikelyPlace("press/crate.py", 0.4)]
_LINES = [BlockLine("i1", ours("Oil the belt first. (0.80)"))]


def test_nothing_known_is_no_block() -> None:
    assert prompt_block([], []).text == ""


def test_the_block_says_where_and_what_bites() -> None:
    block = prompt_block(_PLACES, _LINES)
    assert block.text.splitlines()[1:] == [
        "A guess at the files:",
        "- `press/belt.py`, `press/crate.py`",
        "What is known of it:",
        "- Oil the belt first. (0.80)",
    ]
    assert block.items == (PLACES, "i1")
    assert block.files == ("press/belt.py", "press/crate.py")


def test_what_is_missing_leaves_no_heading() -> None:
    assert prompt_block(_PLACES, []).text.splitlines()[1:] == [
        "A guess at the files:",
        "- `press/belt.py`, `press/crate.py`",
    ]


def test_only_a_few_items_are_told() -> None:
    assert len(prompt_block([], [BlockLine(f"i{at}", ours("Oil it.")) for at in range(9)]).items) == MOST_ITEMS


def test_a_path_cannot_close_the_markers() -> None:
    block = prompt_block([LikelyPlace(f"{CLOSING}`\n", 0.5)], _LINES)
    assert not is_own(block.text)
    assert len(block.text.splitlines()) == 3
    assert block.files == ()


def test_the_block_stays_within_its_limit() -> None:
    lines = [BlockLine(f"i{at}", ours("walnut " * 100)) for at in range(40)]
    places = [LikelyPlace("deep/" * 80, 0.5)] * 5
    assert len(prompt_block(places, lines).text) < MOST_CHARS


def test_a_section_whose_entries_are_held_out_vanishes() -> None:
    block = prompt_block(_PLACES, _LINES)
    kept = [section._replace(lines=()) if at == 1 else section for at, section in enumerate(block.sections)]
    assert "What is known of it:" not in text_of(kept)
