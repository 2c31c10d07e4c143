"""Names and lines of rendered sessions."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.sources.gathering import file_line, mark_of, rendering_path, row_line, session_in

BOX = PurePosixPath("deep/box.db")


@given(session=st.text(min_size=1, max_size=30))
def test_any_id_comes_back_from_the_name_of_its_rendering(session: str) -> None:
    path = rendering_path(BOX, session)
    assert path.parent == BOX
    assert session_in(path) == session


@pytest.mark.parametrize("session", ["..", "a/b", "", "\ud800", "a\0b"])
def test_odd_ids_make_no_odd_paths(session: str) -> None:
    path = rendering_path(BOX, session)
    assert path.parent == BOX
    assert path.name not in ("", ".", "..")
    assert "\0" not in path.name


def test_a_line_is_one_line() -> None:
    assert row_line("t", {"a": "x\ny"}) == b'{"table":"t","row":{"a":"x\\ny"}}\n'
    assert file_line(PurePosixPath("a/b.json"), [1]) == b'{"file":"a/b.json","content":[1]}\n'


def test_marks_tell_values_apart() -> None:
    assert mark_of(1, "a") == mark_of(1, "a") != mark_of("1", "a")
    assert 0 <= mark_of(None) < 1 << 63
