"""A log that git tracks came with a checkout: whoever wrote the repository wrote it, and it says nothing for a user."""

import sqlite3
from pathlib import Path

import pytest
from tests.homes import Silent, hash_of, learned, put, rows, world_of
from tests.sources.checkouts import Worked, worked

from afterwit.archive.rebuild import rebuild
from afterwit.sources.git_work import is_tracked

WISH = "Always run the pear script before a commit."
_HISTORY = "".join(f"\n# aider chat started at 2026-05-0{day} 10:00:00\n\n#### {WISH}\n" for day in (1, 2, 3))
_ANSWERED = _HISTORY.replace(WISH, f"{WISH}\n\nI ran it.")
_CRUSH = Path(__file__).parents[1] / "agents" / "crush" / "fixtures" / "basic.sql"


@pytest.fixture
def clone(tmp_path: Path) -> Worked:
    """A checkout with a log in it, below a folder that a user names."""
    made = worked(tmp_path / "src" / "orchard")
    made.commit({"README.md": "pears"}, "Begin")
    return made


def prompts(store: Path) -> list[str]:
    return [text for (text,) in rows(store, "SELECT text FROM notes WHERE kind = 'prompt'")]


def test_a_history_of_the_user_is_heard(tmp_path: Path, clone: Worked) -> None:
    put(clone.root / ".aider.chat.history.md", _HISTORY.encode())
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert prompts(tmp_path / "store") == [WISH] * 3
    assert rows(tmp_path / "store", "SELECT count(*) FROM items") == [(1,)]


def test_a_history_that_came_with_a_clone_is_read_and_says_nothing_for_the_user(tmp_path: Path, clone: Worked) -> None:
    clone.commit({".aider.chat.history.md": _ANSWERED}, "Plant")
    store = tmp_path / "store"
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []
    assert rows(store, "SELECT count(*) FROM items") == [(0,)]
    assert rows(store, "SELECT kind, count(*) FROM events GROUP BY kind") == [("notice", 3), ("reply", 3)]


def test_a_store_that_is_rebuilt_still_knows_what_came_with_a_clone(tmp_path: Path, clone: Worked) -> None:
    clone.commit({".aider.chat.history.md": _ANSWERED}, "Plant")
    store = tmp_path / "store"
    learned(tmp_path, store, folder=tmp_path / "src")
    before = hash_of(store)
    rebuild(world_of(tmp_path, store), Silent())
    assert (hash_of(store), prompts(store)) == (before, [])


def test_a_database_that_came_with_a_clone_says_nothing_for_the_user(tmp_path: Path, clone: Worked) -> None:
    place = clone.root / ".crush" / "crush.db"
    place.parent.mkdir()
    with sqlite3.connect(place) as db:
        db.executescript(_CRUSH.read_text())
    db.close()
    learned(tmp_path, tmp_path / "own", folder=tmp_path / "src")
    assert "mend the fence by the road" in prompts(tmp_path / "own")
    clone.git("add", "-f", ".crush/crush.db")
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert prompts(tmp_path / "store") == []
    assert rows(tmp_path / "store", "SELECT count(*) FROM actions")[0][0]


def test_a_link_in_a_checkout_is_what_it_leads_to(tmp_path: Path, clone: Worked) -> None:
    clone.commit({"notes.md": "x"}, "Note")
    put(clone.root / "own.md", b"x")
    (tmp_path / "link.md").symlink_to(clone.root / "notes.md")
    assert is_tracked(tmp_path / "link.md")
    assert not is_tracked(clone.root / "own.md")
    assert not is_tracked(tmp_path / "elsewhere.md")
