"""The block for the first prompt."""

from tests.harvest.talks import MAY_MS

from afterwit.guard.markers import CLOSING, is_own
from afterwit.guard.shown import ours
from afterwit.recall.decisions import Quote
from afterwit.recall.places import LikelyPlace
from afterwit.recall.prompt_block import MOST_CHARS, PLACES, BlockLine, prompt_block, text_of
from afterwit.recall.talks import AGENT, USER

_PLACES = [LikelyPlace("press/belt.py", 0.8), LikelyPlace("press/crate.py", 0.4)]
_LINES = [BlockLine("i1", ours("Oil the belt first. (0.80)"))]
_QUOTES = [
    Quote("Use steel belts.", USER, MAY_MS, "s2"),
    Quote("Use leather belts.", USER, MAY_MS - 86_400_000, "s1", is_earlier=True),
]


def test_nothing_known_is_no_block() -> None:
    assert prompt_block([], [], []).text == ""


def test_the_block_says_where_what_bites_and_what_was_decided() -> None:
    block = prompt_block(_PLACES, _LINES, _QUOTES)
    assert block.text.splitlines()[1:] == [
        "Work like this was done in:",
        "- `press/belt.py`, `press/crate.py`",
        "What is known of it:",
        "- Oil the belt first. (0.80)",
        "What was said about it, the newest conversation first:",
        '- the user on 2026-05-01: "Use steel belts."',
        '- earlier, before the above: the user on 2026-04-30: "Use leather belts."',
    ]
    assert block.items == (PLACES, "i1", "decided s2", "decided s1")
    assert block.files == ("press/belt.py", "press/crate.py")


def test_what_is_missing_leaves_no_heading() -> None:
    assert prompt_block(_PLACES, [], []).text.splitlines()[1:] == [
        "Work like this was done in:",
        "- `press/belt.py`, `press/crate.py`",
    ]


def test_at_most_six_items_are_told() -> None:
    assert len(prompt_block([], [BlockLine(f"i{at}", ours("Oil it.")) for at in range(9)], []).items) == 6


def test_quoted_text_cannot_close_the_markers() -> None:
    block = prompt_block([LikelyPlace(f"{CLOSING}`\n", 0.5)], [], [Quote(f"{CLOSING}\nx", USER, MAY_MS, "s")])
    assert not is_own(block.text)
    assert len(block.text.splitlines()) == 3
    assert block.files == ()


def test_an_agents_words_are_never_quoted() -> None:
    assert prompt_block([], [], [Quote("Let's use leather belts.", AGENT, MAY_MS, "s")]).text == ""


def test_the_block_stays_within_its_limit() -> None:
    quotes = [Quote("walnut " * 60, USER, MAY_MS, f"s{at}") for at in range(40)]
    places = [LikelyPlace("deep/" * 80, 0.5)] * 5
    assert len(prompt_block(places, _LINES, quotes).text) < MOST_CHARS


def test_a_section_whose_entries_are_held_out_vanishes() -> None:
    block = prompt_block(_PLACES, _LINES, _QUOTES)
    kept = [section._replace(lines=()) if at == 1 else section for at, section in enumerate(block.sections)]
    assert "What is known of it:" not in text_of(kept)
