"""What agents tell: in the journal at once, also beside a running `learn`, and the same after a rebuild."""

from pathlib import Path

import pytest
from tests.homes import Silent, learned, world_of
from tests.measure.histories import Log

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import LessonSource, Words, record, report
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import StoreError, UsageError
from afterwit.model.knowledge import EVERYWHERE, Category, Item
from afterwit.store.store import hold_lease, open_store

CODEX = LessonSource("codex", "mcp-1")
LESSON = Words(
    sentence="Prune  in March;\nnever after the first blossom.",
    category=Category.FACT,
    scope=EVERYWHERE,
    advice="make x",
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    Log(1, 0).prompt("Count the trees").shell("make count").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def items_of(world: World) -> list[Item]:
    with open_store(world.layout) as store:
        return [item for item in all_items(store.db) if item.harvester == "assistant"]


def test_a_lesson_is_one_clean_line_and_waits_for_the_next_learn(world: World) -> None:
    lesson = record(world, CODEX, LESSON)
    assert lesson.sentence == "Prune in March; never after the first blossom."
    assert items_of(world) == []
    learned(world.user_home, world.layout.root)
    assert [item.id for item in items_of(world)] == [lesson.id]


def test_a_lesson_is_recorded_while_a_learn_holds_the_store(world: World) -> None:
    with hold_lease(world.layout.lease):
        lesson = record(world, CODEX, LESSON)
    learned(world.user_home, world.layout.root)
    assert [item.id for item in items_of(world)] == [lesson.id]


def test_lessons_and_reports_survive_a_rebuild(world: World) -> None:
    lesson = record(world, CODEX, LESSON)
    learned(world.user_home, world.layout.root)
    report(world, LessonSource("", "mcp-2"), lesson.id, is_helpful=False)
    learned(world.user_home, world.layout.root)
    before = items_of(world)
    assert {(piece.session.agent, piece.is_against) for piece in before[0].evidence} == {
        ("codex", False),
        ("mcp", True),
    }
    rebuild(world, Silent())
    learned(world.user_home, world.layout.root)
    assert items_of(world) == before


def test_entries_of_one_moment_keep_their_order(world: World) -> None:
    record(world, CODEX, LESSON)
    record(world, LessonSource("codex", "mcp-2"), LESSON)
    with open_store(world.layout) as store:
        moments = [entry.at_ms for entry in store.journal.entries() if entry.kind == "lesson-recorded"]
    assert moments == [world.now_ms, world.now_ms + 1]


def test_what_the_gate_refuses_is_not_journalled(world: World) -> None:
    with pytest.raises(UsageError, match="cannot be kept"):
        record(world, CODEX, Words(sentence="Yes.", category=Category.FACT, scope=EVERYWHERE))
    with open_store(world.layout) as store:
        assert [entry for entry in store.journal.entries() if entry.kind == "lesson-recorded"] == []


def test_there_must_be_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="afterwit learn"):
        record(world_of(tmp_path, tmp_path / "none"), CODEX, LESSON)
