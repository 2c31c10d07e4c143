"""What is told with a prompt: the files, the thread that it names, and lines that wait for its words."""

from afterwit.recall.places import LikelyPlace
from afterwit.recall.prompt_block import (
    MOST_CHARS,
    PLACES,
    BlockLine,
    files_section,
    prompt_sections,
    text_of,
    within,
)
from afterwit.redaction.markers import CLOSING, is_own
from afterwit.redaction.shown import ours

_FILES = files_section([LikelyPlace("press/belt.py", 0.8), LikelyPlace("press/crate.py", 0.4)])
_LINES = [BlockLine("i1", ours("Oil the belt first."))]
_THREAD = [("t1", ours("The belt is half mended."))]


def test_nothing_known_is_no_block() -> None:
    assert prompt_sections(files_section([]), [], []) == []
    assert text_of([]) == ""


def test_the_block_says_where_what_goes_on_and_what_bites() -> None:
    sections = prompt_sections(_FILES, _THREAD, _LINES)
    assert text_of(sections).splitlines()[1:] == [
        "A guess at the files:",
        "- `press/belt.py`, `press/crate.py`",
        "Where the last sessions on this left off, as they saw it:",
        "- The belt is half mended.",
        "What is known of it:",
        "- Oil the belt first.",
    ]
    assert [line.item for section in sections for line in section.lines] == [PLACES, "t1", "i1"]


def test_what_is_missing_leaves_no_heading() -> None:
    assert text_of(prompt_sections(_FILES, [], [])).splitlines()[1:] == [
        "A guess at the files:",
        "- `press/belt.py`, `press/crate.py`",
    ]


def test_a_path_cannot_close_the_markers() -> None:
    assert files_section([LikelyPlace(f"{CLOSING}`\n", 0.5)]) is None
    assert not is_own(text_of(prompt_sections(_FILES, [], [BlockLine("i1", ours("Oil it."))])))


def test_the_block_stays_within_its_limit() -> None:
    lines = [BlockLine(f"i{at}", ours("walnut " * 100)) for at in range(40)]
    assert len(text_of(prompt_sections(files_section([LikelyPlace("deep/" * 80, 0.5)] * 5), [], lines))) <= MOST_CHARS


def test_a_section_whose_lines_are_held_out_vanishes() -> None:
    sections = prompt_sections(_FILES, _THREAD, _LINES)
    kept = [section._replace(lines=()) if at == 2 else section for at, section in enumerate(sections)]
    assert "What is known of it:" not in text_of(kept)


def test_what_is_too_long_leaves_its_room_to_the_next() -> None:
    lines = [BlockLine(str(at), ours("x" * length)) for at, length in enumerate((50, 900, 60, 70))]
    assert [line.item for line in within(lines, 9, 100)] == ["0", "2", "3"]
    assert [line.item for line in within(lines, 2, 100)] == ["0", "2"]
