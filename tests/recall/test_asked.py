"""Who asks is told what a hook tells, from the same deck."""

from pathlib import Path

import pytest
from tests.recall.orchards import learned_in, orchard, session, told_by_hook, told_by_recall
from tests.store.vm_steps import counted_steps

from afterwit.config.world import World
from afterwit.recall.deck.first_prompt import files_at_prompt
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.recall.find_places import find_places
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.prompt_block import files_section
from afterwit.recall.recall import recalled

TASK = "let the press stop when the barrel is full, and count the rungs of the ladder"


@pytest.fixture
def world(tmp_path: Path) -> World:
    session(tmp_path, orchard(tmp_path))
    return learned_in(tmp_path)


def test_a_task_is_answered_as_the_first_prompt_of_a_session_is(world: World, tmp_path: Path) -> None:
    asked = recalled(world, tmp_path, "orchard", "", TASK, None).prompt
    place = Location("orchard", str(tmp_path / "home" / "orchard"))
    assert asked == [files_section(files_at_prompt(Deck(str(world.layout.deck)), "", TASK, place))]


def test_no_digest_is_read_where_the_deck_knows_the_repository(world: World, tmp_path: Path) -> None:
    with counted_steps() as steps:
        recalled(world, tmp_path, "orchard", "", TASK, None)
        find_places(world, tmp_path, "orchard", TASK, 5)
    assert not [query for _, query in steps.statements if "FROM digests" in query]


@pytest.mark.parametrize("state", ["gone", "damaged", "without the repository"])
def test_what_the_deck_does_not_have_is_gathered_from_the_sessions(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    before = find_places(world, tmp_path, "orchard", TASK, 5)
    if state == "gone":
        world.layout.deck.unlink()
    elif state == "damaged":
        world.layout.deck.write_bytes(b"no database at all" * 100)
    else:
        monkeypatch.setattr(PlaceIndex, "is_known", False)
    assert find_places(world, tmp_path, "orchard", TASK, 5) == before


def test_without_a_deck_a_prompt_is_told_nothing_by_hooks_nor_to_people(world: World, tmp_path: Path) -> None:
    world.layout.deck.unlink()
    assert recalled(world, tmp_path, "orchard", "", TASK, None).prompt == []


def test_what_a_note_in_use_forbids_is_named_neither_by_hooks_nor_to_people(tmp_path: Path) -> None:
    place, task = orchard(tmp_path), "count the rungs of the ladder again"
    for number in range(3):
        session(tmp_path, place, number)
    before = learned_in(tmp_path)
    assert "- `field/ladder.py`" in told_by_hook(tmp_path, place.root, task, "before")
    assert "- `field/ladder.py`" in told_by_recall(before, place.root, task)
    for number, mark in ((30, "."), (60, "!")):
        session(tmp_path, place, number, f"Never edit field/ladder.py by hand{mark}")
    after = learned_in(tmp_path)
    for told in (told_by_hook(tmp_path, place.root, task, "after"), told_by_recall(after, place.root, task)):
        assert "`field/ladder.py`" not in told
    assert all(found.place.path != "field/ladder.py" for found in find_places(after, place.root, None, task, 50).places)
