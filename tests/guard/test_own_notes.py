from hypothesis import given, settings
from hypothesis import strategies as st

from afterwit.guard.markers import AGAIN, OPENING, is_own, is_refusal, marked, without_notes

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


PIECES = st.lists(st.sampled_from([NOTE, REFUSED, OPENING, "<a>", "</a>", "pears", "\n", " ", "Hook hook success: "]))


@given(PIECES)
@settings(max_examples=150)
def test_nothing_of_ours_is_left_and_nothing_is_added(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = without_notes(text, with_refusals=True)
    assert not is_own(found)
    assert len(found) <= len(text)
