"""A walk through what waits: who is asked about what, what the answers do, and the way back."""

from pathlib import Path

import pytest
from tests.demo_store import copied_demo, learned_demo

from afterwit.config.world import World
from afterwit.engine.curation.review import ReviewTally, ReviewWalk, approve_all, of_user, waiting
from afterwit.engine.curation.undo import undo
from afterwit.knowledge.door.list import ItemFilter, shown
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Channel, ItemStatus
from afterwit.recall.told import ToldWhen, told_when


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned_demo(tmp_path_factory.mktemp("learned") / "demo")


@pytest.fixture
def world(demo: Path, tmp_path: Path) -> World:
    return copied_demo(demo, tmp_path / "demo")


def test_the_users_own_words_come_first_and_what_is_told_already_is_not_asked_about(world: World) -> None:
    queue = waiting(world)
    assert queue.notes[0].channel is Channel.USER
    assert all(item.id not in queue.told for item in queue.notes)
    everything = waiting(world, is_all=True)
    assert len(everything.notes) == len(queue.notes) + queue.needless
    assert everything.needless == 0


def test_what_is_in_use_and_told_comes_first_unless_a_person_decided_about_it(world: World) -> None:
    unseen = waiting(world).unseen
    assert unseen
    assert all(item.status is ItemStatus.ACTIVE and item.id in told_when(world) for item in unseen)
    walk = ReviewWalk(world, waiting(world).everything)
    assert walk.next_note() == unseen[0]
    walk.approve()
    walk.reject()
    assert [item.id for item in waiting(world).unseen] == [item.id for item in unseen[2:]]
    assert shown(world, unseen[0].id).status is ItemStatus.ACTIVE
    assert shown(world, unseen[1].id).status is ItemStatus.RETIRED
    assert walk.undo()
    assert shown(world, unseen[1].id).status is ItemStatus.ACTIVE
    assert shown(world, unseen[0].id).is_decided


def test_one_answer_decides_about_all_that_were_found_alike_and_one_undo_takes_it_back(world: World) -> None:
    queue = waiting(world)
    walk = ReviewWalk(world, queue.everything)
    alike = walk.alike()
    assert {item.harvester for item in queue.unseen if item.id in alike} == {queue.unseen[0].harvester}
    walk.reject_kind()
    assert walk.tally.rejected == len(alike) == 2
    assert {shown(world, name).status for name in alike} == {ItemStatus.RETIRED}
    assert walk.undo()
    assert walk.tally.left == len(queue.everything)
    assert [item.id for item in waiting(world).unseen] == [item.id for item in queue.unseen]
    walk.approve_kind()
    assert all(shown(world, name).is_decided for name in alike)


def test_only_what_was_asked_for_is_walked_through(world: World) -> None:
    notes = waiting(world, ItemFilter(repos=("harbour",))).notes
    assert {item.scope.name for item in notes} == {"github.com/acme/harbour"}


def test_every_answer_is_kept_at_once_and_counted(world: World) -> None:
    first, second, third, *rest = waiting(world, is_all=True).notes
    walk = ReviewWalk(world, [first, second, third, *rest])
    walk.approve()
    walk.reject()
    walk.skip()
    assert walk.tally == ReviewTally(approved=1, rejected=1, edited=0, skipped=1, left=len(rest))
    assert shown(world, first.id).status is ItemStatus.ACTIVE
    assert shown(world, second.id).status is ItemStatus.RETIRED
    assert shown(world, third.id).status is third.status


def test_an_approved_rule_of_the_user_is_told(world: World) -> None:
    note = waiting(world).notes[0]
    assert told_when(world).get(note.id) is None
    ReviewWalk(world, [note]).approve()
    assert told_when(world)[note.id] is not ToldWhen.NEVER


def test_undo_takes_back_the_last_answer_of_the_walk_and_nothing_else(world: World) -> None:
    first, second, *_ = waiting(world).notes
    walk = ReviewWalk(world, [first, second])
    walk.approve()
    walk.skip()
    assert walk.undo()
    assert walk.undo()
    assert not walk.undo()
    assert walk.next_note() == first
    assert walk.tally == ReviewTally(approved=0, rejected=0, edited=0, skipped=0, left=2)
    assert shown(world, first.id).status is first.status


def test_new_words_approve_and_unfit_ones_leave_the_note_where_it_was(world: World) -> None:
    note = waiting(world).notes[0]
    walk = ReviewWalk(world, [note])
    with pytest.raises(UsageError, match="cannot be kept"):
        walk.edit("Apples")
    assert walk.next_note() == note
    walk.edit("Use uv for everything here.")
    after = shown(world, note.id)
    assert (after.sentence, after.status) == ("Use uv for everything here.", ItemStatus.ACTIVE)
    assert walk.tally.edited == 1


def test_a_note_that_waits_no_longer_is_passed_over(world: World) -> None:
    first, second, *_ = waiting(world).notes
    walk = ReviewWalk(world, [first, second])
    approve_all(world, [first])
    assert walk.next_note() == second


def test_all_of_the_users_words_are_approved_as_one_decision(world: World) -> None:
    notes = of_user(world, waiting(world).notes)
    assert approve_all(world, notes) == len(notes) > 0
    assert not of_user(world, waiting(world).notes)
    undo(world)
    assert [item.id for item in of_user(world, waiting(world).notes)] == [item.id for item in notes]
