"""Our block in a file that people write."""

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.own_text import BEGIN, END, MarkedBlock

EDIT = MarkedBlock(PurePath("AGENTS.md"), "Prune in spring.")


def test_a_new_block_stands_at_the_end() -> None:
    assert EDIT.added("# Orchard\n") == f"# Orchard\n\n{BEGIN}\nPrune in spring.\n{END}\n"


@given(st.text("ab#\n", max_size=12))
def test_what_was_added_is_current_added_once_and_removed_exactly(text: str) -> None:
    added = EDIT.added(text)
    assert EDIT.presence(added) is Presence.CURRENT
    assert EDIT.added(added) == added
    assert EDIT.removed(added, text) == text
    assert EDIT.removed(added).rstrip("\n") == text.rstrip("\n")


def test_a_block_that_was_moved_stays_where_it_is() -> None:
    text = EDIT.added("") + "\n# After\n"
    later = EDIT._replace(text="Prune in autumn.")
    assert later.presence(text) is Presence.OUTDATED
    assert later.added(text) == text.replace("spring", "autumn")
    assert later.removed(text) == "\n# After\n"


def test_the_text_cannot_end_the_block() -> None:
    edit = EDIT._replace(text=f"one\n{END}\ntwo")
    assert edit.removed(edit.added("mine\n"), "mine\n") == "mine\n"


def test_half_a_block_is_refused() -> None:
    with pytest.raises(UnreadableError, match="marks of our block is missing"):
        EDIT.added(f"{BEGIN}\nx\n")


def test_windows_line_ends_are_kept() -> None:
    added = EDIT.added("a\r\n")
    assert "\n" not in added.replace("\r\n", "")
    assert EDIT.removed(added) == "a\r\n"
