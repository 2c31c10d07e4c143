"""`learn` lets the model that is set read new sessions: few, within the caps, and without ever failing for it."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from tests.homes import Silent, learned, world_of
from tests.planted_orders import Planted
from tests.reader.calls import MODEL, Clock, ScriptedWay, capped, empty

from afterwit.config.world import World
from afterwit.engine.learn import read_new
from afterwit.harvest import standing_rules
from afterwit.model.learn_run import LearnReading
from afterwit.reader import calling
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.compiling import brief_schema
from afterwit.reader.ways.way import ModelQuestion
from afterwit.store.store import readonly_database

RULES = (
    "Indent all files of the press with tabs, never with spaces.",
    "Count the crates with make count before every release, never after it.",
    "Name branches of the orchard after the tree, never after a month.",
    "Write letters to the growers in plain words, never in verse.",
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    for number in range(1, 5):
        Planted(number, number * 7_200).prompt(f"Let press {number} stop.").shell("make check", "ok").put(
            tmp_path / "home"
        )
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    with readonly_database(world.layout) as db:
        last_ms = db.execute("SELECT max(ended_ms) FROM sessions").get
    return capped(world._replace(now_ms=last_ms + 3_600_000), model=MODEL, sessions_per_learn=3)


def read(world: World, way: ScriptedWay | None, monkeypatch: pytest.MonkeyPatch) -> LearnReading | None:
    monkeypatch.setattr(calling, "way_to", lambda _model, _world: way)
    return read_new(world, Clock(world.now_ms), Silent())


def test_a_few_new_sessions_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = read(world, ScriptedWay(), monkeypatch)
    assert reading is not None
    assert (reading.model, reading.sessions, reading.problem) == (MODEL, 3, "")
    assert reading.tokens > 0


def test_a_page_that_is_due_is_compiled_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Planted(1, 7_200)
    for rule in RULES:
        log.prompt(rule).shell("make check", "ok")
    log.put(tmp_path / "home")
    monkeypatch.setattr(standing_rules, "standing_sentences", lambda _text: [])
    learned(tmp_path / "home", tmp_path / "store")
    plain = world_of(tmp_path / "home", tmp_path / "store")
    with readonly_database(plain.layout) as db:
        last_ms = db.execute("SELECT max(ended_ms) FROM sessions").get
    world = capped(plain._replace(now_ms=last_ms + 3_600_000), model=MODEL, sessions_per_learn=3)

    def reply(question: ModelQuestion) -> GivenAnswer:
        numbered = [line for line in question.text.splitlines() if line[:1].isdigit()]
        places = {rule: line.split()[0] for rule in RULES for line in numbered if rule in line}
        notes = [{"sentence": rule, "lines": [at], "confidence": 0.9} for rule, at in places.items()]
        ids = {rule: re.findall(rf"\[(\w+)\] .*{re.escape(rule)}", question.text) for rule in RULES}
        brief = [{"heading": "wish", "text": rule, "notes": named} for rule, named in ids.items()]
        is_brief = question.schema == brief_schema()
        return empty(question)._replace(text=json.dumps({"brief": brief} if is_brief else {"notes": notes}))

    way = ScriptedWay(reply)
    first = read(world, way, monkeypatch)
    assert first is not None
    assert (first.notes, first.settled, first.problem) == (len(RULES), len(RULES), "")
    assert [question.schema == brief_schema() for question in way.asked] == [False, True]
    assert read(world._replace(now_ms=world.now_ms + 7_200_000), way, monkeypatch) is None


def test_old_sessions_are_left_to_people(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    way = ScriptedWay()
    assert read(world._replace(now_ms=world.now_ms + 30 * 86_400_000), way, monkeypatch) is None
    assert way.asked == []


def test_caps_hold(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    way = ScriptedWay()
    assert read(capped(world, model=MODEL, tokens_per_day=10, tokens_per_month=10), way, monkeypatch) is None
    assert way.asked == []


def test_none_means_never(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    way = ScriptedWay()
    assert read(capped(world, model=MODEL, sessions_per_learn=0), way, monkeypatch) is None
    assert way.asked == []


def test_a_model_that_only_files_reach_is_not_called(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(world, None, monkeypatch) is None


def test_problems_are_a_line(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(ScriptedWay):
        def refusal(self) -> str:
            return "Nobody is logged in."

    assert read(world, Refusing(), monkeypatch) == LearnReading(model=MODEL, problem="Nobody is logged in.")
    failed = read(world, ScriptedWay(lambda question: GivenAnswer(question.id, fault="closed")), monkeypatch)
    assert failed is not None
    assert (failed.sessions, failed.problem) == (0, "closed")


def test_a_prompt_that_cannot_be_read_does_not_fail_the_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = msgspec.structs.replace(world.settings.reading, prompt=Path("/nowhere/prompt.md"))
    broken = world._replace(settings=msgspec.structs.replace(world.settings, reading=reading))
    told = read(broken, ScriptedWay(), monkeypatch)
    assert told is not None
    assert "reading.prompt" in told.problem
