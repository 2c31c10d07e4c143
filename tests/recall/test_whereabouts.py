"""A folder of this machine and the repository that its sessions were counted to."""

from pathlib import Path

import pytest
from tests.homes import codex_records, learned, put, world_of
from tests.measure.histories import Log

from afterwit.recall.recall import repo_at
from afterwit.store.store import readonly_database

REMOTE = "git.example/fruit/orchard"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Sessions in a checkout below the home, and in a folder that is none."""
    home = tmp_path / "home"
    thread = "01970001-0000-7000-8000-00000000000a"
    put(
        home / ".codex/sessions/2026/05/01" / f"rollout-2026-05-01T10-00-00-{thread}.jsonl",
        codex_records(thread, cwd=str(home / "src" / "orchard")),
    )
    Log(1, 0, cwd="/srv/harbour").prompt("Weigh the anchor").shell("pull").put(home)
    learned(home, tmp_path / "store")
    return home


def checkout(folder: Path, remote: str) -> Path:
    git = folder / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = https://{remote}.git\n')
    return folder


def found(home: Path, folder: Path) -> str:
    world = world_of(home, home.parent / "store")
    with readonly_database(world.layout) as db:
        return repo_at(db, world, folder)


def test_a_folder_of_a_session_and_those_below_are_known(home: Path) -> None:
    assert found(home, home / "src" / "orchard") == REMOTE
    assert found(home, home / "src" / "orchard" / "trees" / "old") == REMOTE
    assert found(home, Path("/srv/harbour/quay")) == "harbour"


def test_a_folder_above_or_beside_is_not(home: Path) -> None:
    assert found(home, home / "src") == ""
    assert found(home, home / "src" / "orchard2") == ""
    assert found(home, Path("/")) == ""


def test_a_fresh_clone_is_known_by_its_remote(home: Path, tmp_path: Path) -> None:
    assert found(home, checkout(tmp_path / "clone", REMOTE) / "trees") == REMOTE
    assert found(home, checkout(tmp_path / "other", "git.example/fruit/meadow")) == ""


def test_a_checkout_inside_another_repository_is_itself(home: Path) -> None:
    inside = checkout(home / "src" / "orchard" / "vendor" / "press", "git.example/fruit/press")
    assert found(home, inside) == ""
