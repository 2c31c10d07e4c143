"""From sessions to items, with a real store: harvesting, people's decisions, forgetting, rebuilding."""

from pathlib import Path

import msgspec
import pytest
from tests.homes import Silent, hash_of, learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.engine.archive.rebuild import rebuild
from afterwit.harvest.commands.corrections import Corrections
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.door.settle import harvest
from afterwit.model.knowledge import Authority, Channel, Item, ItemStatus
from afterwit.model.learn_run import Harvested
from afterwit.store.decide import decide
from afterwit.store.decisions import DecisionKind, Forgettable, KnowledgeEntry
from afterwit.store.layout import Layout
from afterwit.store.rows.items import ExposureRow, put_exposure
from afterwit.store.rows.sightings import touch_all
from afterwit.store.store import open_store

UNKNOWN = "Exit code 2\nerror: unrecognized subcommand 'cargo'"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three sessions in which a wrapper is put before a program that it does not wrap."""
    for number in range(3):
        wrong_wrapper(number).put(tmp_path / "home")
    return tmp_path / "home"


def wrong_wrapper(number: int) -> Log:
    log = Log(number, number * HOUR_S).prompt(f"Press the apples of row {number}")
    log.shell("wrapit cargo test", UNKNOWN, fails=True).shell("cargo test", "test result: ok. 12 passed")
    return log.edit(f"src/row{number}.rs").shell("cargo test", "test result: ok. 12 passed")


def items_of(store: Path) -> list[Item]:
    with open_store(Layout(store)) as one:
        return list(all_items(one.db))


def wrapper_item(store: Path) -> Item:
    return next(item for item in items_of(store) if item.harvester == "corrections")


def decided(home: Path, store: Path, kind: str, **body: object) -> Harvested:
    world = world_of(home, store)
    with open_store(world.layout) as one:
        decide(one, kind, body, world.now_ms)
        if kind in (KnowledgeEntry.FORGOTTEN, KnowledgeEntry.UNDONE):
            touch_all(one.db)
        return harvest(one, world)


def test_a_newer_harvester_concludes_again_from_what_it_sees_as_before(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(home, tmp_path / "store")
    monkeypatch.setattr(Corrections, "conclude", lambda *_: ())
    monkeypatch.setattr(Corrections, "version", 99)
    world = world_of(home, tmp_path / "store")
    with open_store(world.layout) as one:
        harvest(one, world)
    assert not [item for item in items_of(tmp_path / "store") if item.harvester == "corrections"]


def test_a_mistake_in_three_sessions_becomes_guidance(home: Path, tmp_path: Path) -> None:
    report = learned(home, tmp_path / "store")
    item = wrapper_item(tmp_path / "store")
    assert report.harvested.seen == 3
    assert item.id in report.harvested.gained
    assert (item.status, item.authority) == (ItemStatus.ACTIVE, Authority.GUIDANCE)
    assert "`wrapit cargo" in item.sentence
    assert {piece.session.native_id for piece in item.evidence} == {wrong_wrapper(at).session for at in range(3)}
    assert all(piece.excerpt for piece in item.evidence)


def test_learning_twice_changes_nothing(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "store")
    before = items_of(tmp_path / "store")
    again = learned(home, tmp_path / "store").harvested
    assert (again.seen, again.gained, again.lost, again.changed) == (0, [], [], [])
    assert items_of(tmp_path / "store") == before


def test_the_order_of_sessions_makes_no_difference(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "whole")
    for number in (2, 0, 1):
        wrong_wrapper(number).put(tmp_path / "other")
        learned(tmp_path / "other", tmp_path / "parts")
    assert [item.id for item in items_of(tmp_path / "whole")] == [item.id for item in items_of(tmp_path / "parts")]
    one, other = wrapper_item(tmp_path / "whole"), wrapper_item(tmp_path / "parts")
    assert (one.belief, one.sentence, one.status) == (other.belief, other.sentence, other.status)


def test_a_session_without_sightings_lets_knowledge_age_as_a_rebuild_does(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    before = wrapper_item(store)
    Log(7, 25 * 24 * HOUR_S).prompt("hello there").put(home)
    learned(home, store)
    assert wrapper_item(store).belief != before.belief
    after = items_of(store)
    rebuild(world_of(home, store), Silent())
    assert items_of(store) == after


@pytest.mark.parametrize("prompt", ["Press the apples of row 3", "hello there"])
def test_a_harvest_that_dies_before_it_settles_is_settled_by_the_next(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prompt: str
) -> None:
    store = tmp_path / "store"
    learned(home, store)
    log = Log(3, 25 * 24 * HOUR_S).prompt(prompt)
    log.shell("wrapit cargo test", UNKNOWN, fails=True).shell("cargo test", "test result: ok. 12 passed")
    log.put(home)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("afterwit.knowledge.door.settle.settle", die)
        with pytest.raises(KeyboardInterrupt):
            learned(home, store)
    learned(home, store)
    assert log.session in {piece.session.native_id for piece in wrapper_item(store).evidence}
    after = items_of(store)
    rebuild(world_of(home, store), Silent())
    assert items_of(store) == after


def test_harvesting_again_says_what_came_and_went(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "store")
    again = learned(home, tmp_path / "store", is_reharvest=True).harvested
    assert (again.seen, again.gained, again.lost, again.changed) == (3, [], [], [])


def test_a_dry_run_harvests_nothing_for_good(home: Path, tmp_path: Path) -> None:
    assert learned(home, tmp_path / "store", is_dry_run=True).harvested.items > 0
    assert not (tmp_path / "store").exists()


def test_a_person_takes_an_item_out_and_a_rebuild_keeps_it_out(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    name = wrapper_item(store).id
    decided(home, store, KnowledgeEntry.DECIDED, item=name, decision=DecisionKind.REJECT)
    assert wrapper_item(store).status is ItemStatus.RETIRED
    before, known = hash_of(store), items_of(store)
    rebuild(world_of(home, store), Silent())
    assert (hash_of(store), items_of(store)) == (before, known)


def test_an_undo_can_be_undone(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    decided(home, store, KnowledgeEntry.DECIDED, item=wrapper_item(store).id, decision=DecisionKind.REJECT)
    with open_store(Layout(store)) as one:
        machine, number = one.journal.machine, one.journal.count()
    decided(home, store, KnowledgeEntry.UNDONE, machine=machine, number=number)
    assert wrapper_item(store).status is ItemStatus.ACTIVE
    decided(home, store, KnowledgeEntry.UNDONE, machine=machine, number=number + 1)
    assert wrapper_item(store).status is ItemStatus.RETIRED


def test_what_came_from_a_forgotten_session_is_gone(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    decided(home, store, KnowledgeEntry.FORGOTTEN, what=Forgettable.SESSION, name=wrong_wrapper(0).session)
    item = wrapper_item(store)
    assert {piece.session.native_id for piece in item.evidence} == {wrong_wrapper(at).session for at in (1, 2)}
    for number in (1, 2):
        decided(home, store, KnowledgeEntry.FORGOTTEN, what=Forgettable.SESSION, name=wrong_wrapper(number).session)
    assert not [one for one in items_of(store) if one.harvester == "corrections"]


def test_a_session_that_was_shown_an_item_is_less_evidence_for_it(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    before = wrapper_item(store)
    with open_store(Layout(store)) as one:
        for number in (0, 1):
            put_exposure(one.db, ExposureRow("claude-code", wrong_wrapper(number).session, before.id, "start", 1, 1))
        harvest(one, world_of(home, store))
    after = wrapper_item(store)
    assert after.confidence < before.confidence


def test_what_was_imported_touches_nothing_that_was_found_here(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    before = wrapper_item(store)
    forged = before.evidence[0]
    draft = {
        "harvester": before.harvester,
        "key": ["forged"],
        "scope": list(before.scope),
        "category": before.category,
        "sentence": before.sentence,
        "channel": Channel.IMPORTED,
        "triggers": msgspec.to_builtins(before.triggers),
        "files": ["/etc/evil"],
        "evidence": [msgspec.to_builtins(msgspec.structs.replace(forged, channel=Channel.IMPORTED, is_against=False))],
        "saves": 1e9,
    }
    decided(home, store, KnowledgeEntry.IMPORTED, drafts=[draft], source="elsewhere")
    after = {item.id: item for item in items_of(store)}
    assert after.pop(before.id) == before
    assert [item.status for item in after.values() if item.channel is Channel.IMPORTED] == [ItemStatus.QUARANTINED]


def test_what_an_agent_reports_as_wrong_loses_belief(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    before = wrapper_item(store)
    session = {"agent": "codex", "native_id": "x1", "story": "x1"}
    decided(home, store, KnowledgeEntry.REPORTED, item=before.id, is_helpful=False, session=session)
    assert wrapper_item(store).confidence < before.confidence


def test_what_the_repository_says_itself_is_known_to_the_host(tmp_path: Path) -> None:
    checkout = tmp_path / "home" / "orchard"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "AGENTS.md").write_text("Run the tests with `make test`.\n", "utf-8")
    for number in range(3):
        log = Log(number, number * HOUR_S, str(checkout)).prompt(f"Press the apples of row {number}")
        log.shell("make test", "Exit code 2\ntest result: FAILED. 1 failed", fails=True).edit("src/press.rs")
        log.shell("make test", "test result: ok. 12 passed")
        log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    tests = [item for item in items_of(tmp_path / "store") if item.advice == "make test"]
    assert tests
    assert all(item.is_known_to_host for item in tests)
