"""The way of a consolidation: due after several new notes, asked, answered, taken back, rebuilt, forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes import NOW_MS, Silent, hash_of, learned, world_of
from tests.planted_orders import Planted
from tests.reader.calls import ScriptedWay, called

from afterwit.config.world import World
from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.review import waiting
from afterwit.engine.curation.undo import ForgetRequest, forget, undo
from afterwit.engine.curation.why import why
from afterwit.harvest import standing_rules
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.door.reconcile import reconcile
from afterwit.model.knowledge import READ, Item, ItemStatus
from afterwit.reader.answers import GivenAnswer, claims_schema
from afterwit.reader.calling import CalledRun
from afterwit.reader.intake import Fate, TakenAnswers
from afterwit.reader.plan import ReadingWish, plan
from afterwit.reader.read import ask, take
from afterwit.reader.requests import ReadingRequest
from afterwit.reader.ways.way import ModelQuestion
from afterwit.store.rows.readings import proposals_rejected, requests_failed, spending
from afterwit.store.store import readonly_database

RULES = (
    "Indent all files of the press with tabs, never with spaces.",
    "All files of the press take tabs, also the small ones, never spaces.",
    "Count the crates with make count before every release.",
    "From now on count the crates with the ledger before every release, no longer with make count.",
    "Name branches of the orchard after the tree.",
    "Name branches of the orchard after the picker.",
    "Write letters to the growers in plain words.",
    "Keep the barrels of cider in the cellar by year.",
)


def sentence_of(rule: str) -> str:
    return rule.rstrip("!.") + "."


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Two sessions, in which a model has read four rules each; nothing else has taken them for standing words."""
    monkeypatch.setattr(standing_rules, "standing_sentences", lambda _text: [])
    home = tmp_path / "home"
    for number in (0, 1):
        log = Planted(number + 1, number * 86_400).prompt(f"Let the press stop {number}.").shell("make check", "ok")
        for rule in RULES[number::2]:
            log.prompt(rule).edit("press.py")
        log.put(home)
    learned(home, tmp_path / "store")
    own = world_of(home, tmp_path / "store")
    requests = asked(own)
    assert [request for request in requests if request.items] == []
    answers = []
    for request in requests:
        numbered = [line for line in request.text.splitlines() if line[:1].isdigit()]
        places = {rule: line.split()[0] for rule in RULES for line in numbered if rule in line}
        notes = [{"sentence": sentence_of(rule), "lines": [at], "confidence": 0.9} for rule, at in places.items()]
        answers.append(GivenAnswer(request.id, json.dumps({"notes": notes})))
    assert taken(own, *answers).notes == len(RULES)
    return own


def asked(world: World, **more: Any) -> list[ReadingRequest]:
    sent: list[ReadingRequest] = []
    ask(world, ReadingWish(**({"model": "orchard-1"} | more)), lambda request, _: sent.append(request), Silent())
    return sent


def taken(world: World, *answers: GivenAnswer, **more: Any) -> TakenAnswers:
    return take(world, answers, Silent(), **more)


def items(world: World) -> dict[str, Item]:
    """By what they say."""
    with readonly_database(world.layout) as db:
        return {item.sentence: item for item in all_items(db) if item.harvester == READ}


def answer(world: World, request: ReadingRequest | ModelQuestion) -> GivenAnswer:
    by_rule = [items(world)[sentence_of(rule)].id for rule in RULES]
    said = {
        "same": [[by_rule[0], by_rule[1]], [by_rule[6], by_rule[7]]],
        "replaced": [{"old": by_rule[2], "new": by_rule[3]}],
        "contradict": [[by_rule[4], by_rule[5]]],
    }
    return GivenAnswer(request.id, json.dumps(said), 900, 90)


def test_after_several_new_notes_a_request_settles_them(world: World) -> None:
    (planned,) = plan(world, ReadingWish(model="orchard-1"), Silent()).consolidations
    assert len(planned.request.items) == len(RULES)
    (request,) = asked(world)
    before = items(world)
    result = taken(world, answer(world, request))
    assert (result.merged, result.replaced, result.contradicting, result.rejected) == (1, 0, 2, 2)
    after = items(world)
    assert len(after) == len(RULES) - 1
    kept = after[sentence_of(RULES[0])]
    gone = before[sentence_of(RULES[1])]
    assert kept.merged == (gone.id,)
    assert {piece.session.native_id for piece in kept.evidence} == {
        piece.session.native_id for item in (before[kept.sentence], gone) for piece in item.evidence
    }
    old, new = (after[sentence_of(rule)] for rule in RULES[2:4])
    assert (old.status, old.contradicts) == (ItemStatus.ACTIVE, (new.id,)), "the user said both, and is asked"
    assert "settle the notes" in why(world, kept.id).decisions[-1].what
    with readonly_database(world.layout) as db:
        assert {refused.reason for refused in proposals_rejected(db)} == {"other-matter", "kept-by-a-person"}
        assert sum(spend.tokens_in for spend in spending(db)) > 900


def test_of_two_notes_that_contradict_each_other_both_stay_and_a_person_is_asked(world: World) -> None:
    (request,) = asked(world)
    taken(world, answer(world, request))
    pair = [items(world)[sentence_of(rule)] for rule in RULES[4:6]]
    assert [item.status for item in pair] == [ItemStatus.ACTIVE, ItemStatus.ACTIVE]
    assert [item.contradicts for item in pair] == [(pair[1].id,), (pair[0].id,)]
    assert {item.id for item in pair} <= {item.id for item in waiting(world).notes}
    clashes = [{clash.one.item, clash.other.item} for clash in reconcile(world).clashes]
    assert {item.id for item in pair} in clashes


def test_what_was_settled_is_not_asked_again_before_more_is_new(world: World) -> None:
    (request,) = asked(world)
    assert asked(world) == []
    patient = world._replace(now_ms=NOW_MS + 4 * 86_400_000)
    assert [again.items for again in asked(patient)] == [request.items]
    given = answer(world, request)
    taken(world, given)
    assert plan(patient, ReadingWish(model="orchard-1"), Silent()).consolidations == []
    assert taken(world, given).fates[Fate.REPEATED] == 1


def test_a_consolidation_can_be_undone_and_a_rebuilt_store_has_it(world: World) -> None:
    before = items(world)
    (request,) = asked(world)
    taken(world, answer(world, request))
    after, content = items(world), hash_of(world.layout.root)
    rebuild(world, Silent())
    assert items(world) == after
    assert hash_of(world.layout.root) == content
    assert "settle the notes" in undo(world)[0].what
    assert items(world) == before


def test_without_the_session_of_the_kept_note_the_others_stand_for_themselves(world: World) -> None:
    (request,) = asked(world)
    taken(world, answer(world, request))
    first = items(world)[sentence_of(RULES[2])].evidence[0].session.native_id
    forget(world, ForgetRequest(session=first), lambda _: True)
    left = items(world)
    assert left.keys() == {sentence_of(rule) for rule in RULES[1::2]}
    assert all(item.merged == () and item.contradicts == () for item in left.values())


def test_of_a_session_that_is_erased_the_settling_says_nothing(world: World) -> None:
    (request,) = asked(world)
    taken(world, answer(world, request))
    sessions = {piece.session.native_id for item in items(world).values() for piece in item.evidence}
    delete(world, DeleteRequest(tuple(sorted(sessions))), lambda _: True)
    assert items(world) == {}
    with readonly_database(world.layout) as db:
        assert db.execute("SELECT count(*) FROM item_decisions WHERE kind = 'notes-consolidated'").get == 0
        assert db.execute("SELECT count(*) FROM reading_requests WHERE items != '' OR repo != ''").get == 0
    assert taken(world, GivenAnswer(request.id, '{"same": []}')).fates[Fate.UNKNOWN] == 1


def test_an_answer_that_is_none_settles_nothing(world: World) -> None:
    (request,) = asked(world)
    result = taken(world, GivenAnswer(request.id, '{"notes": []}'))
    assert (result.fates[Fate.NOT_UNDERSTOOD], len(items(world))) == (1, len(RULES))


def run_by(world: World, way: ScriptedWay) -> CalledRun:
    """A run that calls the model which has read the sessions."""
    return called(world, way, model="orchard-1")


def closed(question: ModelQuestion) -> GivenAnswer:
    return GivenAnswer(question.id, fault="the barrelhouse is closed")


def settling(world: World) -> ScriptedWay:
    """Answers what is asked about notes."""
    return ScriptedWay(lambda question: answer(world, question))


def test_a_model_that_is_called_settles_notes_too_and_is_held_to_their_form(world: World) -> None:
    before, way = items(world), settling(world)
    run = run_by(world, way)
    assert [question.schema for question in way.asked] == [claims_schema()]
    assert (run.answered, run.sessions, run.failed) == (1, 0, [])
    assert (run.merged, run.replaced, run.contradicting, run.rejected) == (1, 0, 2, 2)
    assert len(items(world)) == len(RULES) - 1
    assert run_by(world._replace(now_ms=NOW_MS + 9 * 86_400_000), way).answered == 0
    content = hash_of(world.layout.root)
    rebuild(world, Silent())
    assert hash_of(world.layout.root) == content
    assert len(undo(world)) == 1
    assert items(world) == before


def test_an_answer_about_notes_that_is_not_understood_is_asked_for_once_more(world: World) -> None:
    def reply(question: ModelQuestion) -> GivenAnswer:
        is_mended = "with the lists `same`, `replaced`, `contradict`" in question.text
        return answer(world, question) if is_mended else GivenAnswer(question.id, '{"notes": []}')

    way = ScriptedWay(reply)
    run = run_by(world, way)
    assert (len(way.asked), run.answered, run.merged, run.failed) == (2, 1, 1, [])


def test_a_failed_call_about_notes_pauses_and_is_asked_again(world: World) -> None:
    run = run_by(world, ScriptedWay(closed))
    (failed,) = run.failed
    assert (failed.native_id, failed.fault) == ("", "the barrelhouse is closed")
    assert failed.repo == next(iter(items(world).values())).scope.name
    wish = ReadingWish(model="orchard-1")
    soon, later = (world._replace(now_ms=NOW_MS + minutes * 60_000) for minutes in (30, 90))
    assert plan(soon, wish, Silent()).consolidations == []
    assert len(plan(later, wish, Silent()).consolidations) == 1
    assert run_by(later, settling(world)).merged == 1
    with readonly_database(world.layout) as db:
        assert requests_failed(db) == []


def test_of_an_erased_session_no_fault_of_a_call_about_its_notes_stays(world: World) -> None:
    run_by(world, ScriptedWay(closed))
    sessions = {piece.session.native_id for item in items(world).values() for piece in item.evidence}
    delete(world, DeleteRequest(tuple(sorted(sessions))), lambda _: True)
    held = b"".join(path.read_bytes() for path in world.layout.root.rglob("*") if path.is_file())
    assert b"barrelhouse" not in held
