"""An index as hooks read it."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture.indexes import words_in
from tests.sources.repositories import commit_on_top, repository

from afterwit.capture.tree_index import pack_bucket, update_tree
from afterwit.capture.tree_words import TreeWords, bucket_of, unpack_bucket


@pytest.fixture
def index(tmp_path: Path) -> Path:
    git_dir = repository(tmp_path / "orchard")
    files = {"press/a.py": b"quince pear", "cellar/a.py": b"def pear(): quince", "b.md": b"basket"}
    update_tree(tmp_path / "orchard.db", git_dir, commit_on_top(git_dir, files), str)
    return tmp_path / "orchard.db"


@given(st.dictionaries(st.text(max_size=9), st.lists(st.integers(0, 2**40))))
def test_what_is_packed_comes_out_again(bucket: dict[str, list[int]]) -> None:
    assert unpack_bucket(pack_bucket(bucket)) == bucket


def test_a_word_of_contents_paths_and_names_lies_in_one_bucket() -> None:
    assert len({bucket_of(term, 64) for term in ("press", "/press", "=press")}) == 1


def test_an_empty_database_or_one_of_another_version_has_no_files(index: Path) -> None:
    with closing(apsw.Connection(":memory:")) as db:
        assert TreeWords(db).size() == 0
    with closing(apsw.Connection(str(index))) as db:
        db.pragma("user_version", 99)
        words = TreeWords(db)
        assert (words.size(), words.holders("quince"), words.named("b.md")) == (0, {}, [])


def test_holders_say_where_a_word_stands_out(index: Path) -> None:
    with words_in(index) as words:
        holders = words.holders("pear")
        paths = words.paths(list(holders))
        assert {paths[number]: stands_out for number, stands_out in holders.items()} == {
            "press/a.py": False,
            "cellar/a.py": True,
        }


def test_files_of_one_name_are_told_in_order(index: Path) -> None:
    with words_in(index) as words:
        assert words.named("a.py") == ["cellar/a.py", "press/a.py"]
        assert list(words.paths(list(words.holders("/cellar"))).values()) == ["cellar/a.py"]
        assert words.paths([99, -1]) == {}


def test_looking_up_first_changes_no_answer(index: Path) -> None:
    asked = ("quince", "pear", "/press", "=b.md", "nothing", "")
    with words_in(index) as at_once, words_in(index) as one_by_one:
        at_once.look_up(asked)
        assert [at_once.holders(term) for term in asked] == [one_by_one.holders(term) for term in asked]
