"""Undoing: command by command, and itself undone."""

from collections import Counter
from pathlib import Path

import pytest
from tests.homes import Silent, learned, world_of
from tests.knowledge_home import learnable_home

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import Words, add, judge
from afterwit.engine.curation.undo import past, undo
from afterwit.engine.curation.why import why
from afterwit.knowledge.door.list import ItemFilter, listed, shown
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, Category
from afterwit.store.decisions import DecisionKind


@pytest.fixture
def world(tmp_path: Path) -> World:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    add(world, Words(sentence="Never push on a Friday.", category=Category.FACT, scope=EVERYWHERE))
    return world


def statuses(world: World) -> dict[str, str]:
    return {item.id: str(item.status) for item in listed(world, ItemFilter()).items}


def test_all_that_one_command_decided_is_undone_together(world: World) -> None:
    before = statuses(world)
    judge(world, DecisionKind.RETIRE, list(before))
    assert set(statuses(world).values()) == {"retired"}
    assert len(undo(world)) == 2
    assert statuses(world) == before


def test_undoing_again_goes_further_back(world: World) -> None:
    (added,) = (item for item in listed(world, ItemFilter()).items if item.harvester == "person")
    judge(world, DecisionKind.PIN, [added.id])
    undo(world)
    (what, approval) = undo(world)
    assert what.what == f"add {added.id}: Never push on a Friday."
    assert approval.what == f"approve {added.id}"
    assert added.id not in statuses(world)
    with pytest.raises(UsageError, match="no decision to undo"):
        undo(world)


def test_an_undo_can_be_undone_and_that_survives_a_rebuild(world: World) -> None:
    item = next(iter(statuses(world)))
    judge(world, DecisionKind.RETIRE, [item])
    retired = past(world, 1)[0].number
    undo(world, retired)
    undone = past(world, 1)[0].number
    assert statuses(world)[item] == "active"
    undo(world, undone)
    assert statuses(world)[item] == "retired"
    rebuild(world, Silent())
    assert statuses(world)[item] == "retired"


def test_the_past_says_what_stands(world: World) -> None:
    judge(world, DecisionKind.RETIRE, [next(iter(statuses(world)))])
    undo(world)
    latest, retired, *_ = past(world, 0)
    assert (latest.what, latest.is_undone) == (f"undo {retired.number}", False)
    assert retired.is_undone
    assert len(past(world, 2)) == 2


def test_what_was_undone_already_cannot_be_undone(world: World) -> None:
    judge(world, DecisionKind.RETIRE, [next(iter(statuses(world)))])
    number = past(world, 1)[0].number
    undo(world, number)
    with pytest.raises(UsageError, match=f"There is no decision {number} about notes"):
        undo(world, number)


def test_a_clock_that_went_back_does_not_change_the_order(world: World) -> None:
    item = next(iter(statuses(world)))
    earlier = world._replace(now_ms=world.now_ms - 1_000_000)
    judge(world, DecisionKind.PIN, [item])
    judge(earlier, DecisionKind.RETIRE, [item])
    undo(earlier)
    assert statuses(world)[item] == "active"


def test_looking_at_the_past_writes_nothing(world: World) -> None:
    item = next(iter(statuses(world)))
    judge(world, DecisionKind.RETIRE, [item])
    world.layout.journal.rename(world.layout.root / "away")
    assert past(world, 0)[0].what == f"retire {item}"
    assert why(world, item).decisions[-1].what == f"retire {item}"
    assert not world.layout.journal.exists()


def test_several_items_that_begin_alike_are_named_with_their_words(world: World) -> None:
    for number in range(20):
        add(world, Words(sentence=f"Never pick row {number} on a Friday.", category=Category.FACT, scope=EVERYWHERE))
    several = Counter(item[0] for item in statuses(world)).most_common(1)[0][0]
    with pytest.raises(UsageError, match=r"Several notes begin with [^:]*:(?s:.)*Never pick row"):
        shown(world, several)
