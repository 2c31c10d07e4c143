"""A checkout in which no session was learned: an alias, its remote, its name or its first commit tells what it is."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.knowledge_home import FACT, learnable_home
from tests.recall.hook.conftest import Hook

from afterwit.config.world import World
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.recall import recalled
from afterwit.sessions.identities import repos
from afterwit.store.layout import Layout
from afterwit.store.rows.hooks import Shares, put_shares
from afterwit.store.store import open_store

REMOTE = "git@example.org:team/{}.git"


def git(*words: str) -> None:
    quiet = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    who = {f"GIT_{role}_{what}": "ann" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *words], env=quiet | who, check=True, capture_output=True, timeout=60)


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    """The checkout that sessions worked in: it has a commit, and no remote."""
    folder = tmp_path / "work" / "orchard"
    git("init", "-q", "-b", "main", str(folder))
    (folder / "tree.txt").write_text("apple\n")
    git("-C", str(folder), "add", ".")
    git("-C", str(folder), "commit", "-q", "-m", "Plant the orchard")
    return folder


@pytest.fixture
def store(tmp_path: Path, orchard: Path) -> Path:
    learnable_home(tmp_path / "home", 9, cwd=str(orchard))
    return tmp_path / "store"


def configured(store: Path, aliases: str = "") -> World:
    """What was learned, with these aliases in the configuration from the beginning."""
    store.mkdir(exist_ok=True)
    (store / "config.toml").write_text(f"[aliases.repos]\n{aliases}\n", encoding="utf-8")
    learned(store.parent / "home", store)
    world = world_of(store.parent / "home", store)
    with open_store(world.layout) as learned_store:
        put_shares(learned_store.db, Shares(0.0, 0.0))
        compile_deck(learned_store, world)
    return world


def told_at_start(store: Path, folder: Path, session: str = "new") -> str:
    hook = Hook(Layout(store), folder)
    hook.environ["HOME"] = str(store.parent / "home")
    return hook.claude("start", session=session, source="startup").context


def told_by_recall(world: World, folder: Path, repo: str | None = None) -> str:
    return recalled(world, folder, repo, "claude-code", "", None).start.text


def checkout(folder: Path, remote: str = "") -> Path:
    git("init", "-q", str(folder))
    if remote:
        git("-C", str(folder), "remote", "add", "origin", remote)
    return folder


def test_an_alias_is_a_name_of_the_repository_for_recall(store: Path, tmp_path: Path) -> None:
    world = configured(store, 'grove = "orchard"')
    assert FACT in told_by_recall(world, tmp_path, "grove")


@pytest.mark.parametrize(
    ("alias", "remote"),
    [
        ("{folder}", ""),
        ("grove", ""),
        ("example.org/team/grove", REMOTE.format("grove")),
        ("team/grove", REMOTE.format("grove")),
    ],
)
def test_an_alias_counts_before_any_session_was_learned_there(
    store: Path, tmp_path: Path, alias: str, remote: str
) -> None:
    grove = checkout(tmp_path / "elsewhere" / "grove", remote)
    world = configured(store, f'"{alias.format(folder=grove)}" = "orchard"')
    assert FACT in told_at_start(store, grove)
    assert FACT in told_by_recall(world, grove)


def test_a_clone_is_recognised_by_the_name_of_its_remote_where_only_one_repository_has_it(
    store: Path, tmp_path: Path
) -> None:
    clone = checkout(tmp_path / "elsewhere" / "copy-of-it", REMOTE.format("orchard"))
    world = configured(store)
    assert FACT in told_at_start(store, clone)
    assert FACT in told_by_recall(world, clone)


def test_a_clone_is_recognised_by_its_first_commit(store: Path, tmp_path: Path, orchard: Path) -> None:
    clone = tmp_path / "elsewhere" / "grove"
    git("clone", "-q", str(orchard), str(clone))
    world = configured(store)
    assert FACT in told_by_recall(world, clone)
    assert FACT in told_at_start(store, clone)


def test_git_is_asked_once_for_a_folder(store: Path, tmp_path: Path, orchard: Path) -> None:
    clone = tmp_path / "elsewhere" / "grove"
    git("clone", "-q", str(orchard), str(clone))
    configured(store)
    told_at_start(store, clone)
    (kept,) = (store / "first-commits").iterdir()
    answer = kept.read_text()
    git("-C", str(clone), "checkout", "-q", "--orphan", "other")
    assert FACT in told_at_start(store, clone, "later")
    assert kept.read_text() == answer


def test_a_folder_that_git_says_nothing_about_is_told_nothing(store: Path, tmp_path: Path) -> None:
    configured(store)
    broken = tmp_path / "elsewhere" / "grove"
    (broken / ".git").mkdir(parents=True)
    assert told_at_start(store, broken) == ""
    assert [kept.read_text() for kept in (store / "first-commits").iterdir()] == [""]


@pytest.mark.parametrize("remote", ["", REMOTE.format("meadow")])
def test_another_repository_is_told_nothing(store: Path, tmp_path: Path, remote: str) -> None:
    meadow = checkout(tmp_path / "elsewhere" / "meadow", remote)
    world = configured(store)
    assert told_at_start(store, meadow) == ""
    assert told_by_recall(world, meadow) == ""
    assert told_at_start(store, tmp_path / "elsewhere") == ""


def test_sessions_in_a_clone_and_in_its_origin_are_of_one_repository(
    store: Path, tmp_path: Path, orchard: Path
) -> None:
    configured(store)
    clone = tmp_path / "elsewhere" / "grove"
    git("clone", "-q", str(orchard), str(clone))
    git("-C", str(clone), "remote", "set-url", "origin", REMOTE.format("grove"))
    other = learnable_home(tmp_path / "others", 2, cwd=str(clone))
    for number, log in enumerate(sorted(other.rglob("*.jsonl"))):
        text = re.sub(r'"((?:toolu_|msg_)?)s(?=\d)', r'"\1t', log.read_text())
        (store.parent / "home" / log.relative_to(other)).with_name(f"t{number + 1}.jsonl").write_text(text)
    world = configured(store)
    assert {place.repo for place in repos(world)} == {"example.org/team/grove"}
