"""Reconciling: instruction files against each other and against what was learned."""

from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.knowledge.written import item
from tests.knowledge_home import learnable_home

from afterwit.config.world import World
from afterwit.engine.curation.curate import Words, add
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.knowledge.door.reconcile import Reconciliation, contradictions, reconcile
from afterwit.knowledge.host_text import HostText
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
    (checkout / "package.json").write_text('{"scripts": {"test": "weigh"}}')
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


def test_an_item_and_a_file_that_name_different_programs_contradict_each_other() -> None:
    known = item("0b0b0b0b0b0b", sentence="Tests run with `bun run test`.", advice="bun run test")
    [found] = contradictions([known], HostText.of({"AGENTS.md": "Run `npm test` first."}))
    assert found.about == "the command for test"
    assert {(one.name, one.line) for one in (found.one, found.other)} == {("0b0b0b0b0b0b", 0), ("AGENTS.md", 1)}


def test_the_same_program_or_another_purpose_does_not() -> None:
    known = item(sentence="Tests run with `bun run test`.", advice="bun run test")
    assert contradictions([known], HostText.of({"AGENTS.md": "Run `bun test` or `npm run lint`."})) == []


def test_what_a_file_warns_of_is_not_what_it_names() -> None:
    known = item(sentence="Tests run with `bun run test`.", advice="bun run test")
    assert contradictions([known], HostText.of({"AGENTS.md": "Do not run `npm test`."})) == []


def test_a_program_behind_another_is_another() -> None:
    known = item(sentence="Tests run with `uv run pytest`.", advice="uv run pytest")
    assert len(contradictions([known], HostText.of({"AGENTS.md": "```\npytest\n```"}))) == 1


def test_two_files_can_contradict_each_other() -> None:
    host = HostText.of({"AGENTS.md": "Use `npm test`.", "CLAUDE.md": "Use `bun run test`."})
    assert [(one.one.name, one.other.name) for one in contradictions([], host)] == [("AGENTS.md", "CLAUDE.md")]


def test_one_file_that_offers_two_ways_does_not_contradict_itself() -> None:
    assert contradictions([], HostText.of({"AGENTS.md": "Use `npm test` or `make test`."})) == []


def test_always_and_never_about_the_same_thing_contradict_each_other() -> None:
    host = HostText.of(
        {"AGENTS.md": "- Always squash commits of a harvest.", "CLAUDE.md": "- Never squash harvest commits."}
    )
    [found] = contradictions([], host)
    assert found.about == "commit harvest squash"


def test_two_items_alone_are_not_the_hosts_business() -> None:
    one = item("0b0b0b0b0b0b", sentence="Always squash harvest commits.", advice="")
    other = item("0c0c0c0c0c0c", sentence="Never squash harvest commits.", advice="")
    assert contradictions([one, other], HostText.of({})) == []
