"""Lists hold what a look at every note finds; what the gate kept out is counted by reason, with samples."""

from pathlib import Path

import msgspec
import pytest
from tests.demo_store import copied_demo, learned_demo
from tests.homes import learned, world_of
from tests.knowledge_home import learnable_home

from afterwit.config.world import World
from afterwit.knowledge.door.list import (
    ItemFilter,
    all_items,
    item_row,
    items_in_conflict,
    listed,
    makers,
    new_items,
    rejected,
    searched,
)
from afterwit.model.knowledge import Category, Channel, Item, ItemStatus
from afterwit.store.marks import in_use_since
from afterwit.store.rows import items
from afterwit.store.rows.items import RejectionRow
from afterwit.store.store import open_store


def test_the_most_frequent_reason_comes_first_with_samples(tmp_path: Path) -> None:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    rows = [RejectionRow(f"{number}", "momentary", "standing-rules", "global", f"Row {number}.") for number in range(5)]
    rows.append(RejectionRow("9", "secret", "standing-rules", "repo:orchard", "The key is ‹aws-key:3f9c2a›."))
    with open_store(world.layout) as store:
        items.put_rejections(store.db, rows)
    first, second = rejected(world, samples=2)
    assert (first.reason, first.count, [one["fact"] for one in first.samples]) == (
        "momentary",
        5,
        ["Row 0.", "Row 1."],
    )
    assert first.why == "It is about one moment, one machine or one conversation."
    assert (second.reason, second.count) == ("secret", 1)
    assert len(rejected(world, "momentary", samples=0)[0].samples) == 5


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The demo, with two notes that contradict each other and one that only speaks of that."""
    folder = tmp_path_factory.mktemp("listed")
    demo = copied_demo(learned_demo(folder / "learned"), folder / "demo")
    first, second, third, *_ = _every_item(demo)
    changed = (
        msgspec.structs.replace(first, contradicts=(second.id,)),
        msgspec.structs.replace(second, contradicts=(first.id,)),
        msgspec.structs.replace(third, sentence="The ledger contradicts the table."),
    )
    with open_store(demo.layout) as store:
        for item in changed:
            items.put_item(store.db, item_row(item), item.sentence)
    return demo


def _every_item(world: World) -> list[Item]:
    with open_store(world.layout) as store:
        return list(all_items(store.db))


@pytest.mark.parametrize(
    "wanted",
    [
        ItemFilter(),
        ItemFilter(statuses=(ItemStatus.ACTIVE,)),
        ItemFilter(statuses=(ItemStatus.CANDIDATE, ItemStatus.RETIRED), confidence=0.6),
        ItemFilter(categories=(Category.PITFALL, Category.FACT)),
        ItemFilter(repos=("orchard",), is_global=True),
        ItemFilter(repos=("*",), agents=("codex",)),
        ItemFilter(channels=(Channel.USER,)),
        ItemFilter(channels=(Channel.OUTCOME, Channel.TOOL), statuses=(ItemStatus.ACTIVE,)),
    ],
)
def test_a_list_holds_what_fits_of_all_that_there_is(world: World, wanted: ItemFilter) -> None:
    everything = _every_item(world)
    fitting = [item for item in everything if wanted.fits(item)]
    assert fitting
    counts = {str(status): sum(item.status is status for item in everything) for status in ItemStatus}
    for limit, skipped in ((0, 0), (1, 0), (2, 1), (3, len(fitting) - 1), (5, len(fitting))):
        listing = listed(world, wanted, limit, skipped=skipped)
        assert listing.items == fitting[skipped:][: limit or None]
        assert listing.total == len(fitting)
        assert listing.by_status == {status: count for status, count in counts.items() if count}


def test_a_search_goes_on_where_the_page_before_it_ended(world: World) -> None:
    whole = searched(world, "here", ItemFilter())
    assert len(whole.items) > 1
    assert searched(world, "here", ItemFilter(), 1, skipped=1) == whole._replace(items=whole.items[1:2])


def test_what_is_new_and_what_contradicts_is_found_without_a_look_at_the_rest(world: World) -> None:
    everything = _every_item(world)
    active = [item for item in everything if item.status is ItemStatus.ACTIVE]
    with open_store(world.layout) as store:
        noted = in_use_since(store.db) or {}
    for since_ms in (0, world.now_ms, world.now_ms + 1):
        assert new_items(world, since_ms) == [item for item in active if noted.get(item.id, since_ms) >= since_ms]
    assert items_in_conflict(world, ItemFilter()) == [item for item in everything if item.contradicts]
    assert len(items_in_conflict(world, ItemFilter())) == 2
    assert makers(world) == sorted({item.harvester for item in everything})
