"""What a person approved stays when another version of the program no longer finds it; what nobody approved goes."""

from pathlib import Path

import pytest
from tests.engine.archive.planted import rebuilt
from tests.homes import learned, world_of
from tests.knowledge_home import FACT, learnable_home
from tests.recall.people import MIRA, claude_session

from afterwit.config.world import World
from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.curation.curate import edit, judge
from afterwit.engine.curation.undo import undo
from afterwit.harvest import door, standing_rules
from afterwit.harvest.registry import harvesters
from afterwit.harvest.standing_rules import StandingRules
from afterwit.knowledge.door import settle
from afterwit.knowledge.door.list import all_items
from afterwit.model.knowledge import STANDING, Item, ItemStatus
from afterwit.store.database import transaction
from afterwit.store.decisions import DecisionKind, ItemChanges
from afterwit.store.store import open_store

WEIGH = "Always weigh the crates before you load them."
PRUNE = "Never prune the plums in spring."


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two rules, each said once: both wait."""
    claude_session(tmp_path / "home", MIRA, "s1", 1, ["Count the trees", WEIGH])
    claude_session(tmp_path / "home", MIRA, "s2", 2, ["Look at the press", PRUNE])
    learn(world_of(tmp_path / "home", tmp_path / "store"))
    return world_of(tmp_path / "home", tmp_path / "store")


def learn(world: World) -> None:
    learned(world.user_home, world.layout.root)


def rules(world: World) -> dict[str, Item]:
    with open_store(world.layout) as store:
        items = [item for item in all_items(store.db) if item.harvester == STANDING]
    return {item.sentence.partition('"')[2].rstrip('"') or item.sentence: item for item in items}


def upgrade(monkeypatch: pytest.MonkeyPatch, *, is_gone: bool = False) -> None:
    """A version that finds no such rules, or has nothing that looks for them."""
    monkeypatch.setattr(StandingRules, "version", 99)
    monkeypatch.setattr(standing_rules, "standing_sentences", lambda _text: [])
    if is_gone:
        left = tuple(harvester for harvester in harvesters() if harvester.name != STANDING)
        monkeypatch.setattr(door, "harvesters", lambda: left)
        monkeypatch.setattr(settle, "harvesters", lambda: left)


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("decision", [DecisionKind.APPROVE, DecisionKind.PIN])
def test_what_a_person_approved_or_pinned_stays_and_the_rest_goes(
    world: World, monkeypatch: pytest.MonkeyPatch, decision: DecisionKind, is_gone: bool
) -> None:
    before = rules(world)[WEIGH]
    judge(world, decision, [before.id])
    upgrade(monkeypatch, is_gone=is_gone)
    learn(world)
    learn(world)
    after = rules(world)
    assert after.keys() == {WEIGH}
    assert (after[WEIGH].id, after[WEIGH].status) == (before.id, ItemStatus.ACTIVE)


def test_an_edited_note_keeps_its_new_words(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(world, rules(world)[WEIGH].id, ItemChanges(sentence="Weigh all crates."))
    upgrade(monkeypatch)
    learn(world)
    assert [item.sentence for item in rules(world).values()] == ["Weigh all crates."]


def test_it_stays_after_a_rebuild(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(world, DecisionKind.APPROVE, [rules(world)[WEIGH].id])
    upgrade(monkeypatch)
    learn(world)
    rebuilt(world)
    assert rules(world).keys() == {WEIGH}


def test_it_goes_with_the_session_that_it_came_from(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(world, DecisionKind.APPROVE, [rules(world)[WEIGH].id])
    upgrade(monkeypatch)
    learn(world)
    assert delete(world, DeleteRequest(("s1",)), lambda _: True) is not None
    learn(world)
    assert rules(world) == {}


def test_undo_takes_back_what_the_person_decided_not_that_it_was_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(world, DecisionKind.APPROVE, [rules(world)[WEIGH].id])
    upgrade(monkeypatch)
    learn(world)
    [taken_back] = undo(world)
    assert taken_back.what.startswith("approve")
    assert rules(world)[WEIGH].status is ItemStatus.CANDIDATE


@pytest.fixture
def observed(tmp_path: Path) -> World:
    """A note that nobody said: it follows from what sessions did."""
    home = learnable_home(tmp_path / "home", 6)
    learned(home, tmp_path / "store")
    return world_of(home, tmp_path / "store")


def facts(world: World) -> dict[str, Item]:
    with open_store(world.layout) as store:
        return {item.sentence: item for item in all_items(store.db)}


def conclude_otherwise(monkeypatch: pytest.MonkeyPatch, item: Item) -> None:
    """A version whose harvester is still there, sees the same, and concludes nothing from it."""
    harvester = next(harvester for harvester in harvesters() if harvester.name == item.harvester)
    monkeypatch.setattr(type(harvester), "version", 99)
    monkeypatch.setattr(type(harvester), "conclude", lambda *_: [])


@pytest.mark.parametrize("is_older", [False, True])
@pytest.mark.parametrize("decision", [DecisionKind.APPROVE, DecisionKind.PIN, DecisionKind.EDIT])
def test_what_follows_from_sessions_stays_too_where_the_same_harvester_concludes_otherwise_now(
    observed: World, monkeypatch: pytest.MonkeyPatch, decision: DecisionKind, is_older: bool
) -> None:
    before = facts(observed)[FACT]
    words = "Call make itself." if decision is DecisionKind.EDIT else FACT
    if decision is DecisionKind.EDIT:
        edit(observed, before.id, ItemChanges(sentence=words))
    else:
        judge(observed, decision, [before.id])
    if is_older:  # an earlier schema, whose drafts no later version can read
        with open_store(observed.layout) as store, transaction(store.db):
            store.db.execute("DELETE FROM drafts; DELETE FROM sightings; DELETE FROM harvested; DELETE FROM touched")
            store.db.execute("INSERT INTO harvested SELECT session_id, '', '', x'', x'' FROM digests")
    conclude_otherwise(monkeypatch, before)
    learn(observed)
    learn(observed)
    after = facts(observed)
    assert after.keys() == {words}
    assert (after[words].id, after[words].status) == (before.id, ItemStatus.ACTIVE)
    assert after[words].is_pinned is (decision is DecisionKind.PIN)
    rebuilt(observed)
    assert facts(observed).keys() == {words}


def test_it_stays_where_the_first_thing_that_another_version_does_is_a_rebuild(
    observed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = facts(observed)[FACT]
    judge(observed, DecisionKind.PIN, [before.id])
    conclude_otherwise(monkeypatch, before)
    rebuilt(observed)
    assert facts(observed)[FACT].is_pinned


def test_what_nobody_decided_goes_with_the_harvester(observed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    conclude_otherwise(monkeypatch, facts(observed)[FACT])
    learn(observed)
    assert facts(observed) == {}


def test_what_was_kept_is_journalled_once(observed: World) -> None:
    judge(observed, DecisionKind.PIN, [facts(observed)[FACT].id])
    learn(observed)
    with open_store(observed.layout) as store:
        before = store.journal.count()
    learn(observed)
    with open_store(observed.layout) as store:
        assert store.journal.count() == before
