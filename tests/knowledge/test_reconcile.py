"""Reconciling: instruction files against each other and against what was learned."""

from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.knowledge_home import learnable_home

from afterwit.config.world import World
from afterwit.curation.curate import Words, add
from afterwit.knowledge.list import ItemFilter, listed
from afterwit.knowledge.reconcile import Reconciliation, reconcile
from afterwit.model.errors import StoreError
from afterwit.model.knowledge import Category, Scope, ScopeKind


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "home/src/orchard"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def world(tmp_path: Path, checkout: Path) -> World:
    learned(learnable_home(tmp_path / "home", cwd=str(checkout)), tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def reconciled(world: World) -> Reconciliation:
    return reconcile(world)


def test_without_files_there_is_nothing_to_contradict(world: World) -> None:
    assert reconciled(world) == Reconciliation(files=0, clashes=[], doubles=[])


def test_two_files_that_name_different_commands_are_shown(world: World, checkout: Path) -> None:
    (checkout / "AGENTS.md").write_text("# Orchard\n\nRun the tests with `npm test`.\n")
    (checkout / "CLAUDE.md").write_text("Run the tests with `bun run test`.\n")
    found = reconciled(world)
    (clash,) = found.clashes
    assert (found.files, clash.about) == (2, "the command for test")
    assert {(side.file.rpartition("/")[2], side.line) for side in (clash.one, clash.other)} == {
        ("AGENTS.md", 3),
        ("CLAUDE.md", 1),
    }


def test_an_item_that_says_otherwise_than_a_file_is_shown(world: World, checkout: Path) -> None:
    (checkout / "AGENTS.md").write_text("Run the tests with `npm test`.\n")
    repo = listed(world, ItemFilter()).items[0].scope.name
    words = "Run the tests with `bun run test`; the other runner skips half of them."
    scope = Scope(ScopeKind.REPO, repo)
    done = add(world, Words(sentence=words, category=Category.FACT, scope=scope, advice="bun run test"))
    (clash,) = reconciled(world).clashes
    assert {side.item for side in (clash.one, clash.other)} == {"", done.id}
    assert clash.repo == repo


def test_without_a_store_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Run `afterwit learn` first"):
        reconcile(world_of(tmp_path / "home", tmp_path / "store"))
