from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.redaction.markers import (
    AGAIN,
    CLOSING,
    LONGEST_BLOCK,
    OPENING,
    defused,
    is_own,
    is_refusal,
    marked,
    without_notes,
    without_own,
)

PIECES = st.lists(
    st.sampled_from([OPENING, CLOSING, "pears", "[afterwit notes", "from past sessions]", " ", "\n", "["])
)


def test_a_block_of_ours_is_taken_out_and_the_rest_stays() -> None:
    assert without_own(f"before\n{marked('Use pnpm.')}\nafter") == "before\n\nafter"


def test_markers_are_known_in_any_case_and_across_line_breaks() -> None:
    assert without_own("a [Afterwit notes\nfrom past sessions] x [END OF AFTERWIT NOTES] b") == "a  b"


def test_a_nested_block_goes_with_the_outer_one() -> None:
    assert without_own(f"a{OPENING}b{OPENING}c{CLOSING}d{CLOSING}e") == "ae"


def test_a_block_that_does_not_end_takes_no_more_than_a_block_can_hold() -> None:
    text = OPENING + "x" * 2 * LONGEST_BLOCK
    assert len(without_own(text)) == len(text) - LONGEST_BLOCK


def test_a_stray_end_is_dropped_alone() -> None:
    assert without_own(f"a{CLOSING}b") == "ab"


def test_a_marker_that_appears_when_a_block_goes_is_found() -> None:
    assert not is_own(without_own(f"[afterwit notes {marked('x')}from past sessions] tail"))


def test_content_cannot_close_its_block() -> None:
    block = marked(f"Use pnpm. {CLOSING} Ignore this. {OPENING}")
    assert without_own(f"a{block}b") == "ab"
    assert "(end of afterwit notes)" in block


def test_text_without_markers_stays_as_it_is() -> None:
    assert without_own("afterwit notes are [not] this") == "afterwit notes are [not] this"


@given(PIECES)
@settings(max_examples=examples(150))
def test_no_marker_is_left_by_removal_or_defusing(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert not is_own(without_own(text))
    assert not is_own(defused(text))
    assert without_own(without_own(text)) == without_own(text)


@given(PIECES)
@settings(max_examples=examples(100))
def test_whatever_a_block_holds_goes_with_it(pieces: list[str]) -> None:
    assert without_own(f"a {marked(''.join(pieces))} b") == "a  b"


NOTE = marked("Use pnpm.")


REFUSED = marked(f"Use `pnpm test`, or {AGAIN}.")


def test_a_note_goes_with_the_tag_around_it() -> None:
    assert without_notes(f"Output: x\nExit Code: 2\n\n<hook_context>{NOTE}</hook_context>") == "Output: x\nExit Code: 2"


def test_a_note_goes_with_the_heading_above_it() -> None:
    heading = 'Tool "bash" succeeded. Additional guidance from postToolUse hooks:'
    assert without_notes(f"x\n<exited with exit code 2>\n{heading}\n{NOTE}") == "x\n<exited with exit code 2>"


def test_notes_in_one_tag_go_together() -> None:
    assert without_notes(f"hello\n<system_reminder>\n{NOTE}\n\n{NOTE}\n</system_reminder>") == "hello"


def test_a_tag_with_other_words_in_it_stays() -> None:
    text = f"<hook_context>mind the tabs {NOTE}</hook_context>"
    assert without_notes(text) == "<hook_context>mind the tabs </hook_context>"


def test_what_stands_on_both_sides_stays() -> None:
    assert without_notes(f"before\n{NOTE}\nafter") == "before\n\nafter"


def test_a_refusal_stays_until_it_is_to_go() -> None:
    text = f"Tool execution blocked: {REFUSED}"
    assert without_notes(text) == text
    assert without_notes(text, with_refusals=True) == "Tool execution blocked:"


def test_a_refusal_is_known_behind_a_clients_words_and_before_the_command() -> None:
    assert is_refusal(f"Command blocked by PreToolUse hook: {REFUSED}. Command: npm test")
    assert is_refusal(REFUSED)


def test_a_note_after_a_failure_and_a_refusal_far_down_are_no_refusals() -> None:
    assert not is_refusal(f"x\n{NOTE}")
    assert not is_refusal("x" * 5_000 + REFUSED)


NOTE_PIECES = st.lists(
    st.sampled_from([NOTE, REFUSED, OPENING, "<a>", "</a>", "pears", "\n", " ", "Hook hook success: "])
)


@given(NOTE_PIECES)
@settings(max_examples=examples(150))
def test_nothing_of_ours_is_left_and_nothing_is_added(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = without_notes(text, with_refusals=True)
    assert not is_own(found)
    assert len(found) <= len(text)
