"""A log that git tracks came with a checkout: whoever wrote the repository wrote it, and it says nothing for a user."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.homes import CLAUDE, Silent, claude_records, hash_of, learned, lines, put, rows, world_of
from tests.sources import repositories
from tests.sources.checkouts import Worked, worked

from afterwit.capture import plan
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import checked
from afterwit.model.learn_run import Report
from afterwit.sources.checkout import is_tracked
from afterwit.store.layout import Layout
from afterwit.store.rows import files
from afterwit.store.store import open_store

WISH = "Always run the pear script before a commit."
_HISTORY = "".join(f"\n# aider chat started at 2026-05-0{day} 10:00:00\n\n#### {WISH}\n" for day in (1, 2, 3))
_ANSWERED = _HISTORY.replace(WISH, f"{WISH}\n\nI ran it.")
_AGENTS = Path(__file__).parents[1] / "agents"
_CRUSH = _AGENTS / "crush" / "fixtures" / "basic.sql"
_OPENCODE = _AGENTS / "opencode" / "fixtures" / "tree.home" / "storage"


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
    _put_database(clone)
    learned(tmp_path, tmp_path / "own", folder=tmp_path / "src")
    assert "mend the fence by the road" in prompts(tmp_path / "own")
    clone.git("add", "-f", ".crush/crush.db")
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert prompts(tmp_path / "store") == []
    assert rows(tmp_path / "store", "SELECT count(*) FROM actions")[0][0]


def test_a_tree_of_files_that_came_with_a_clone_says_nothing_for_the_user(tmp_path: Path, clone: Worked) -> None:
    shutil.copytree(_OPENCODE, clone.root / "storage")
    learned(tmp_path, tmp_path / "own", folder=tmp_path / "src")
    assert prompts(tmp_path / "own")
    clone.git("add", "-f", "storage")
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert prompts(tmp_path / "store") == []
    assert rows(tmp_path / "store", "SELECT count(*) FROM actions")[0][0]


def test_one_planted_file_makes_its_whole_tree_nobodys(tmp_path: Path, clone: Worked) -> None:
    shutil.copytree(_OPENCODE, clone.root / "storage")
    clone.git("add", "-f", "storage/part/msg_d1/prt_d1.json")
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert prompts(tmp_path / "store") == []


@pytest.mark.parametrize("ref", [repositories.BRANCH, "refs/remotes/origin/entire/checkpoints/v1"])
def test_sessions_that_a_branch_of_a_clone_carries_say_nothing_for_the_user(
    tmp_path: Path, clone: Worked, ref: str
) -> None:
    _put_checkpoint(clone, ref)
    store = tmp_path / "store"
    learned(tmp_path, store, folder=tmp_path / "src")
    assert rows(store, "SELECT agent, actions FROM sessions") == [("entire", 3)]
    assert prompts(store) == []
    before = hash_of(store)
    assert before == _rebuilt_hash(tmp_path, store)
    assert prompts(store) == []


def test_sessions_in_a_bare_clone_say_nothing_for_the_user(tmp_path: Path) -> None:
    git_dir = repositories.repository(tmp_path / "src", "orchard.git")
    repositories.commit(git_dir, {"0a/full.jsonl": lines(claude_records("a", 3))})
    learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert rows(tmp_path / "store", "SELECT agent, prompts FROM sessions") == [("entire", 0)]


def test_an_older_store_forgets_what_planted_trees_and_branches_said(
    tmp_path: Path, clone: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put_checkpoint(clone, repositories.BRANCH)
    shutil.copytree(_OPENCODE, clone.root / "storage")
    clone.git("add", "-f", "storage")
    store = tmp_path / "store"
    _made_by_an_older_version(tmp_path, store, monkeypatch)
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []
    assert hash_of(store) == _rebuilt_hash(tmp_path, store)


def test_a_link_in_a_checkout_is_what_it_leads_to(tmp_path: Path, clone: Worked) -> None:
    clone.commit({"notes.md": "x"}, "Note")
    put(clone.root / "own.md", b"x")
    (tmp_path / "link.md").symlink_to(clone.root / "notes.md")
    assert is_tracked(tmp_path / "link.md")
    assert not is_tracked(clone.root / "own.md")
    assert not is_tracked(tmp_path / "elsewhere.md")


def _made_by_an_older_version(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store whose logs nobody asked git about."""
    with monkeypatch.context() as patched:
        patched.setattr(plan, "is_tracked_by_git", lambda _: False)
        learned(home, store, folder=home / "src")
    rows(store, "UPDATE files SET capture_version = 1")
    assert prompts(store)


def _rebuilt_hash(home: Path, store: Path) -> str:
    rebuild(world_of(home, store), Silent())
    return hash_of(store)


def test_an_older_store_forgets_what_a_planted_history_said(
    tmp_path: Path, clone: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.commit({".aider.chat.history.md": _ANSWERED}, "Plant")
    store = tmp_path / "store"
    _made_by_an_older_version(tmp_path, store, monkeypatch)
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []
    assert rows(store, "SELECT count(*) FROM items") == [(0,)]
    before = hash_of(store)
    again = learned(tmp_path, store, folder=tmp_path / "src")
    assert _read_files(again) == 0
    assert hash_of(store) == before == _rebuilt_hash(tmp_path, store)


def test_an_older_store_forgets_it_too_when_the_folder_is_given_again_later(
    tmp_path: Path, clone: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.commit({".aider.chat.history.md": _ANSWERED}, "Plant")
    store = tmp_path / "store"
    _made_by_an_older_version(tmp_path, store, monkeypatch)
    learned(tmp_path, store)
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []
    assert hash_of(store) == _rebuilt_hash(tmp_path, store)


def test_an_older_store_forgets_what_a_planted_database_said(
    tmp_path: Path, clone: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put_database(clone)
    clone.git("add", "-f", ".crush/crush.db")
    store = tmp_path / "store"
    _made_by_an_older_version(tmp_path, store, monkeypatch)
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []


def test_a_history_that_is_committed_later_is_the_same_after_a_rebuild(tmp_path: Path, clone: Worked) -> None:
    history, store = clone.root / ".aider.chat.history.md", tmp_path / "store"
    put(history, _ANSWERED.encode())
    learned(tmp_path, store, folder=tmp_path / "src")
    clone.commit({history.name: _ANSWERED + _HISTORY.replace("2026-05", "2026-06")}, "Add")
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []
    assert hash_of(store) == _rebuilt_hash(tmp_path, store)
    assert prompts(store) == []


def test_lines_that_are_appended_to_a_log_that_is_committed_by_then_make_all_of_it_nobodys(
    tmp_path: Path, clone: Worked
) -> None:
    log, store = clone.root / CLAUDE / "a.jsonl", tmp_path / "store"
    put(log, claude_records("a", 1))
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store)
    put(log, claude_records("a", 3))
    clone.git("add", "-f", str(log))
    learned(tmp_path, store, folder=tmp_path / "src")
    assert prompts(store) == []
    assert hash_of(store) == _rebuilt_hash(tmp_path, store)


def test_what_a_log_said_before_it_was_rewritten_is_nobodys_either(tmp_path: Path, clone: Worked) -> None:
    log, store = clone.root / CLAUDE / "a.jsonl", tmp_path / "store"
    put(log, claude_records("a", 2))
    learned(tmp_path, store, folder=tmp_path / "src")
    put(log, claude_records("b", 2))
    clone.git("add", "-f", str(log))
    learned(tmp_path, store, folder=tmp_path / "src")
    assert rows(store, "SELECT count(*) FROM files WHERE role = 'transcript'") == [(2,)]
    assert prompts(store) == []
    assert hash_of(store) == _rebuilt_hash(tmp_path, store)


def test_a_header_that_is_mended_still_says_that_git_tracks_the_log(tmp_path: Path, clone: Worked) -> None:
    clone.commit({".aider.chat.history.md": _ANSWERED}, "Plant")
    store = tmp_path / "store"
    learned(tmp_path, store, folder=tmp_path / "src")
    with open_store(Layout(store)) as one:
        (row,) = (row for row in files.all_files(one.db) if row.held_bytes)
        header = one.archive.header(row.object_name)
        one.archive.compact(row.object_name, row.held_bytes, {**header, "role": "hit"})
        assert checked(one, row) == ""
        assert one.archive.header(row.object_name) == header


def test_git_is_asked_once_about_a_database(tmp_path: Path, clone: Worked, monkeypatch: pytest.MonkeyPatch) -> None:
    place, asked = _put_database(clone), list[Path]()

    def noting(file: Path) -> bool:
        asked.append(file)
        return False

    monkeypatch.setattr(plan, "is_tracked_by_git", noting)
    report = learned(tmp_path, tmp_path / "store", folder=tmp_path / "src")
    assert _read_files(report) > 1
    assert asked == [place]


def _read_files(report: Report) -> int:
    return sum(agent.read for agent in report.agents)


def _put_database(clone: Worked) -> Path:
    place = clone.root / ".crush" / "crush.db"
    place.parent.mkdir()
    with sqlite3.connect(place) as db:
        db.executescript(_CRUSH.read_text())
    db.close()
    return place


def _put_checkpoint(clone: Worked, ref: str) -> None:
    repositories.commit(clone.root / ".git", {"0a/full.jsonl": lines(claude_records("a", 3))}, ref)
