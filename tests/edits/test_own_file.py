"""A file of our own among those of others."""

from pathlib import PurePath

import pytest

from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.own_text import OwnFile

EDIT = OwnFile(PurePath("afterwit.js"), "const HOOK = ['/opt/bin/afterwit-hook']\n")


def test_it_is_written_once_and_replaced_when_it_is_outdated() -> None:
    assert EDIT.presence("") is Presence.ABSENT
    assert EDIT.added("") == EDIT.content
    assert EDIT.presence("const HOOK = ['/old/afterwit-hook']") is Presence.OUTDATED
    assert EDIT.removed(EDIT.content) == ""


def test_a_file_of_that_name_that_somebody_else_wrote_is_left_alone() -> None:
    with pytest.raises(UnreadableError, match="was not written by afterwit"):
        EDIT.added("mine")
    assert EDIT.removed("mine") == "mine"
