"""What `doctor` and `status` say of reading by a model."""

from pathlib import Path

import pytest
from tests.homes import NOW_MS, learned, world_of
from tests.planted_orders import Planted
from tests.reader.calls import MODEL, ScriptedWay, called

from afterwit.config.world import World
from afterwit.engine.doctor.findings import reading_findings, reading_state
from afterwit.reader.answers import GivenAnswer
from afterwit.store.store import readonly_database


@pytest.fixture
def world(tmp_path: Path) -> World:
    for number in (1, 2):
        Planted(number, number * 7_200).prompt("Let the press stop.").shell("make check", "ok").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def test_without_a_reading_there_is_nothing_to_say(world: World) -> None:
    with readonly_database(world.layout) as db:
        assert reading_state(db, world.settings.reading, NOW_MS).is_idle
        assert list(reading_findings(db)) == []


def test_failures_say_why_and_what_to_do(world: World) -> None:
    called(world, ScriptedWay(lambda question: GivenAnswer(question.id, fault="nobody is logged in.")))
    with readonly_database(world.layout) as db:
        state = reading_state(db, world.settings.reading, NOW_MS)
        (finding,) = reading_findings(db)
    assert (state.unanswered, state.failed, state.is_idle) == (2, 2, False)
    assert finding.code == "reading-failed"
    assert f"{MODEL} did not answer 2 requests. Latest: nobody is logged in. Mend" in finding.what
    assert f"afterwit read --with {MODEL}" in finding.what
    called(world._replace(now_ms=NOW_MS + 2 * 3_600_000), ScriptedWay())
    with readonly_database(world.layout) as db:
        assert list(reading_findings(db)) == []
