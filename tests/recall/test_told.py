"""What the list says of when a note is told is what sessions are told."""

from pathlib import Path

import pytest
from tests.demo_store import copied_demo, learned_demo

from afterwit.config.world import World
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.recall.recall import recalled
from afterwit.recall.told import ToldWhen, told_when


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("told")
    return copied_demo(learned_demo(folder / "learned"), folder / "demo")


def _items(world: World, repo: str) -> list[Item]:
    return listed(world, ItemFilter(repos=(repo,), is_global=True)).items


@pytest.mark.parametrize("repo", ["orchard", "harbour", "almanac"])
def test_the_list_of_a_repository_and_what_its_sessions_are_told_agree(world: World, repo: str) -> None:
    told = told_when(world)
    at_start = {item.id for item in _items(world, repo) if told.get(item.id) is ToldWhen.START}
    block = recalled(world, Path.cwd(), repo, "", "", None).start
    assert {note for told in block.lines for note in told.line.notes} == at_start
    assert all(told.line.text in block.text for told in block.lines)


def test_the_demo_tells_something_at_start_and_something_never(world: World) -> None:
    told = told_when(world)
    moments = {told.get(item.id, ToldWhen.NEVER) for item in listed(world, ItemFilter()).items}
    assert {ToldWhen.START, ToldWhen.NEVER} <= moments


def test_what_is_asked_of_some_notes_is_what_is_asked_of_all(world: World) -> None:
    told, notes = told_when(world), listed(world, ItemFilter()).items
    for some in (notes[:1], notes[-1:], notes[::3], notes):
        of_some = told_when(world, some)
        assert of_some == {item.id: told[item.id] for item in some if item.id in told}


def test_nothing_that_waits_is_told_at_start(world: World) -> None:
    told = told_when(world)
    items = listed(world, ItemFilter()).items
    assert all(item.status is ItemStatus.ACTIVE for item in items if told.get(item.id) is ToldWhen.START)
