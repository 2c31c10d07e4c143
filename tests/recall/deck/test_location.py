import sys
from pathlib import Path, PurePath

import pytest

from afterwit.config.show import default_root
from afterwit.recall.deck.location import Location, location_of, store_folder
from afterwit.recall.deck.reader import Deck
from afterwit.recall.deck.write import DeckContent as Values
from afterwit.recall.deck.write import DeckSettings, write_deck

REPO = "example.org/team/orchard"


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deck:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    roots = {str(tmp_path / "known"): REPO, "~/code/harbour": "harbour"}
    write_deck(tmp_path / "deck.db", Values(DeckSettings(key=b"k"), roots=roots, remotes={REPO: REPO}))
    return Deck(str(tmp_path / "deck.db"))


def repo_at(deck: Deck, folder: Path) -> str:
    return location_of(deck, str(folder)).repo


def test_a_folder_is_known_by_one_above_it(deck: Deck, tmp_path: Path) -> None:
    place = location_of(deck, str(tmp_path / "known" / "src" / "deep"))
    assert (place.repo, place.root) == (REPO, str(tmp_path / "known"))


def test_a_folder_below_the_home_is_known_without_its_users_name(deck: Deck, tmp_path: Path) -> None:
    assert repo_at(deck, tmp_path / "home" / "code" / "harbour" / "src") == "harbour"


def test_a_worktree_belongs_to_its_main_checkout(deck: Deck, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {tmp_path}/known/.git/worktrees/tree\n")
    place = location_of(deck, str(tree / "src"))
    assert (place.repo, place.root) == (REPO, str(tree))


@pytest.mark.parametrize("url", ["git@example.org:team/orchard.git", "https://user:pw@example.org/Team/Orchard"])
def test_a_fresh_clone_is_known_by_its_remote(deck: Deck, tmp_path: Path, url: str) -> None:
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    (tmp_path / "clone" / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n')
    assert repo_at(deck, tmp_path / "clone" / "src") == REPO


@pytest.mark.parametrize("name", ["elsewhere", "known-too"])
def test_another_folder_is_not_known(deck: Deck, tmp_path: Path, name: str) -> None:
    assert repo_at(deck, tmp_path / name) == ""


@pytest.mark.parametrize("folder", ["", "relative/folder", "/", "\0", "x" * 5_000])
def test_odd_folders_are_not_known(deck: Deck, folder: str) -> None:
    try:
        assert location_of(deck, folder).repo == ""
    except ValueError:  # a name that no system takes; the outermost frame catches it
        assert "\0" in folder


def test_paths_are_named_below_the_repository() -> None:
    place = Location("r", "/w/r")
    assert place.below("/w/r/src/a.py", "/tmp") == "src/a.py"
    assert place.below("a.py", "/w/r/src") == "src/a.py"
    assert place.below("../../x/a.py", "/w/r/src") == ""
    assert Location().below("/w/r/a.py", "/w/r") == ""


def test_the_store_is_where_commands_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for environ in ({}, {"XDG_DATA_HOME": "/data"}, {"XDG_DATA_HOME": "data"}):
        expected = default_root({"HOME": str(tmp_path), **environ}, sys.platform)
        assert PurePath(store_folder(environ)) == expected
    assert store_folder({"AFTERWIT_HOME": "/x"}) == "/x"
    assert store_folder({"AFTERWIT_HOME": "~/x"}) == str(tmp_path / "x")
    assert store_folder({"AFTERWIT_HOME": "/x", "AFTERWIT_PROFILE": "default"}) == "/x"
    assert store_folder({"AFTERWIT_HOME": "/x", "AFTERWIT_PROFILE": "work"}) == "/x/profiles/work"
