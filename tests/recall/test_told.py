"""What the list says of when a note is told is what sessions are told."""

from pathlib import Path

import msgspec
import pytest
from tests.demo_store import copied_demo, learned_demo

from afterwit.config.world import World
from afterwit.knowledge.door.list import ItemFilter, item_in, item_row, listed
from afterwit.knowledge.whose_words import Listener
from afterwit.model.knowledge import READ, Channel, Item, ItemStatus
from afterwit.recall.recall import recalled, speaking_among, speaking_items
from afterwit.recall.told import ToldWhen, told_when
from afterwit.store.rows.items import all_items, delete_item, put_item
from afterwit.store.store import open_store


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
    assert {item.id for item in block.items} == at_start
    for item in block.items:
        assert f"({item.rests_on})" in block.text


def test_the_demo_tells_something_at_start_and_something_never(world: World) -> None:
    told = told_when(world)
    moments = {told.get(item.id, ToldWhen.NEVER) for item in listed(world, ItemFilter()).items}
    assert {ToldWhen.START, ToldWhen.NEVER} <= moments


def test_what_is_asked_of_some_notes_is_what_is_asked_of_all(world: World) -> None:
    told, notes = told_when(world), listed(world, ItemFilter()).items
    for some in (notes[:1], notes[-1:], notes[::3], notes):
        of_some = told_when(world, some)
        assert of_some == {item.id: told[item.id] for item in some if item.id in told}


def test_some_notes_of_a_model_speak_as_they_do_among_all(world: World) -> None:
    """Of two that say nearly the same one speaks, whichever of them is asked about."""
    first = next(item for item in listed(world, ItemFilter()).items if item.status is ItemStatus.ACTIVE)
    read = [
        msgspec.structs.replace(first, id=name, harvester=READ, channel=Channel.OUTCOME, sentence=sentence, triggers=())
        for name, sentence in (
            ("f1", "Run the frost tests with one worker before a release"),
            ("f2", "Run the frost tests with one worker before every release"),
            ("f3", "Berths are counted from the northern pier"),
        )
    ]
    with open_store(world.layout) as store:
        for item in read:
            put_item(store.db, item_row(item), item.sentence)
        everything = [item_in(row) for row in all_items(store.db)]
        anybody = Listener()
        speaking = speaking_items(store.db, anybody)
        assert sum(item.id in ("f1", "f2") for item in speaking) == 1
        for some in ([item] for item in everything):
            assert speaking_among(store.db, anybody, some) == [item for item in speaking if item.id == some[0].id]
        assert speaking_among(store.db, anybody, everything) == speaking
        for item in read:
            delete_item(store.db, item.id)


def test_nothing_that_waits_is_told_at_start(world: World) -> None:
    told = told_when(world)
    items = listed(world, ItemFilter()).items
    assert all(item.status is ItemStatus.ACTIVE for item in items if told.get(item.id) is ToldWhen.START)
