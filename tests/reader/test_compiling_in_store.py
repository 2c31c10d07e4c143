"""The way of a brief: due after several new notes, asked, answered, told, taken back, rebuilt, erased."""

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
from afterwit.engine.curation import brief
from afterwit.engine.curation.undo import undo
from afterwit.knowledge.brief import Page
from afterwit.knowledge.door.list import all_items
from afterwit.model.brief import Heading
from afterwit.model.knowledge import READ, Item
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.compiling import brief_schema
from afterwit.reader.intake import Fate, TakenAnswers
from afterwit.reader.plan import ReadingWish, plan
from afterwit.reader.read import ask, take
from afterwit.reader.requests import ReadingRequest
from afterwit.reader.ways.way import ModelQuestion
from afterwit.recall.recall import page_of, recalled
from afterwit.store import spool
from afterwit.store.rows.readings import proposals_rejected
from afterwit.store.store import readonly_database

RULES = (
    "Indent all files of the press with tabs, never with spaces.",
    "Count the crates by hand before every release.",
    "Name branches of the orchard after the tree, never after a month.",
    "Write letters to the growers in plain words, never in verse.",
)
TABS = "Indent files of the press with tabs, never with spaces."
CRATES = "Count the crates by hand before a release."


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two sessions, in which a model has read two rules each."""
    home = tmp_path / "home"
    for number in (0, 1):
        log = Planted(number + 1, number * 86_400).prompt(f"Let the press stop {number}.").shell("make check", "ok")
        for rule in RULES[number::2]:
            log.prompt(rule).edit("press.py")
        log.put(home)
    learned(home, tmp_path / "store")
    own = world_of(home, tmp_path / "store")
    answers = []
    for request in asked(own):
        numbered = [line for line in request.text.splitlines() if line[:1].isdigit()]
        places = {rule: line.split()[0] for rule in RULES for line in numbered if rule in line}
        notes = [{"sentence": rule, "lines": [at], "confidence": 0.9, "often": 4} for rule, at in places.items()]
        answers.append(GivenAnswer(request.id, json.dumps({"notes": notes})))
    assert taken(own, *answers).notes == len(RULES)
    return own


def asked(world: World, **more: Any) -> list[ReadingRequest]:
    sent: list[ReadingRequest] = []
    ask(world, ReadingWish(**({"model": "orchard-1"} | more)), lambda request, _: sent.append(request), Silent())
    return sent


def taken(world: World, *answers: GivenAnswer) -> TakenAnswers:
    return take(world, answers, Silent())


def notes(world: World) -> dict[str, Item]:
    """By their first words."""
    with readonly_database(world.layout) as db:
        return {item.sentence.split()[0]: item for item in all_items(db) if item.harvester == READ}


def compiled(world: World, **fields: Any) -> str:
    there = notes(world)
    demand = {"prompt": [["crates", "release"]], "paths": [], "commands": ["make release"], "errors": []}
    said = {
        "brief": [{"heading": "wish", "text": TABS, "notes": [there["Indent"].id]}],
        "on_demand": [{"text": CRATES, "notes": [there["Count"].id], **demand}],
        "replaces": [],
        "checks": [],
    }
    return json.dumps(said | fields)


def answer(world: World, request: ReadingRequest | ModelQuestion, **fields: Any) -> GivenAnswer:
    return GivenAnswer(request.id, compiled(world, **fields), 900, 90)


def page(world: World) -> Page:
    with readonly_database(world.layout) as db:
        return page_of(db, repo_of(world))


def repo_of(world: World) -> str:
    return notes(world)["Indent"].scope.name


def start(world: World) -> str:
    return recalled(world, Path("/nowhere"), repo_of(world), "", "", None).start.text


def test_a_repository_with_enough_notes_is_asked_about_once_and_its_page_is_told(world: World) -> None:
    (planned,) = plan(world, ReadingWish(model="orchard-1"), Silent()).briefs
    assert len(planned.request.items) == len(RULES)
    (request,) = asked(world)
    result = taken(world, answer(world, request))
    assert (result.fates[Fate.TAKEN], result.lines, result.rejected) == (1, 2, 0)
    assert TABS in start(world)
    assert CRATES not in start(world)
    (review,) = asked(world)
    assert "tried on the past sessions" in review.text
    assert f"{CRATES}\n  came in 1 of 2 past sessions\n  at the prompt “{RULES[1]}”" in review.text
    taken(world, answer(world, review))
    assert asked(world) == [], "nothing is new"
    blocks = recalled(world, Path("/nowhere"), repo_of(world), "", "count the crates for the release", None)
    assert [line.text for line in blocks.prompt[-1].lines] == [CRATES]


def test_a_compilation_is_taken_back_as_a_whole(world: World) -> None:
    (request,) = asked(world)
    taken(world, answer(world, request))
    undo(world)
    assert page(world).lines == ()
    assert TABS not in start(world)


def test_a_rebuilt_store_has_the_same_page(world: World) -> None:
    (request,) = asked(world)
    taken(world, answer(world, request))
    before, told = hash_of(world.layout.root), start(world)
    rebuild(world, Silent())
    assert (hash_of(world.layout.root), start(world)) == (before, told)


def test_the_lines_of_an_erased_session_are_gone_from_page_and_journal(world: World) -> None:
    (request,) = asked(world)
    taken(world, answer(world, request))
    session = notes(world)["Indent"].evidence[0].session
    delete(world, DeleteRequest((session.native_id,)), lambda _: True)
    with readonly_database(world.layout) as db:
        texts = [line.text for line in page_of(db, session.repo).lines]
    assert TABS not in texts
    journal = b"".join(path.read_bytes() for path in world.layout.journal.rglob("*") if path.is_file())
    assert TABS.encode() not in journal


def test_what_is_refused_is_shown_with_its_reason(world: World) -> None:
    (request,) = asked(world)
    said = [{"heading": "must", "text": "Deploy with `make ship` at once.", "notes": [notes(world)["Indent"].id]}]
    result = taken(world, answer(world, request, brief=said, on_demand=[]))
    assert (result.rejected, result.lines) == (1, 0)
    with readonly_database(world.layout) as db:
        assert [row.reason for row in proposals_rejected(db)] == ["not-in-notes"]
    assert [proposal.detail for proposal in brief.look(world, Path("/"), repo_of(world)).rejected] == ["make ship"]


def test_a_persons_line_survives_ten_compilations_word_for_word_and_in_its_place(world: World) -> None:
    (request,) = asked(world)
    there = notes(world)
    first = [
        {"heading": "wish", "text": text, "notes": [there[text.split()[0]].id]}
        for text in (RULES[0], RULES[2], RULES[3])
    ]
    taken(world, answer(world, request, brief=first, on_demand=[]))
    repo = repo_of(world)
    mine = "My own line: the press rests on Sundays."
    brief.edit(world, Path("/"), repo, {Heading.WISH: [RULES[0], mine, RULES[2], RULES[3]]})
    for number in range(10):
        (request,) = asked(world._replace(now_ms=NOW_MS + number), is_brief=True, is_again=True)
        taken(world, answer(world, request, brief=first[number % 3 :], on_demand=[]))
        wishes = [told.line.text for told in brief.look(world, Path("/"), repo).start if told.line.heading == "wish"]
        assert wishes.index(mine) == min(1, len(wishes) - 1)


def test_an_answer_that_is_none_is_asked_for_again(world: World) -> None:
    def reply(question: ModelQuestion) -> GivenAnswer:
        return GivenAnswer(question.id, "no") if len(way.asked) == 1 else answer(world, question)

    way = ScriptedWay(reply)
    run = called(world, way, model="orchard-1")
    assert (run.lines, run.answered) == (4, 2), "a draft, and the page"
    assert way.asked[0].schema == brief_schema()


def test_whoever_compiles_sees_what_was_told_and_had_to_be_said_again(world: World) -> None:
    (request,) = asked(world)
    assert "asked for again" not in request.text
    taken(world, answer(world, request))
    line = next(line for line in page(world).lines if line.text == TABS)
    log = Planted(9, 20 * 86_400).prompt("Let the press stop.").shell("make check", "ok")
    told_ms = 1_777_629_600_000 + 20 * 86_400_000
    log.wait(60).prompt("Indent the files of the press with tabs, not with spaces!").put(world.user_home)
    record = {"kind": "draw", "at": told_ms, "agent": "claude-code", "session": log.session, "items": {line.id: 1}}
    spool.append(world.layout.spool, "claude-code", log.session, record | {"moment": "start", "text": TABS})
    learned(world.user_home, world.layout.root)
    (review,) = asked(world, is_brief=True)
    again = "told in 1 session, asked for again in 1"
    assert f"- (wish) {TABS} [{again}]" in review.text
    assert f"[{line.notes[0]}] 1 session" in review.text
    assert review.text.count(again) == 2, "beside the line and beside its note"
