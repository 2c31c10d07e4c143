"""Sessions of real clients on both sides of the comparison are captured, joined with their draws, and reported."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.clients import CLIENTS, Client
from tests.e2e.delivery import OPENING, SHORT, Scene, Session, prepared
from tests.e2e.install import obstacle

pytestmark = pytest.mark.e2e

COMPARED = ("claude-code", "codex", "gemini")
MOST_SESSIONS = 10  # that all of them fall on one side happens once in 500 times
FAILED_IN_100 = 10.0  # one failure, in a session of one action, which counts as ten


@pytest.fixture(params=[client for client in CLIENTS if client.name in COMPARED], ids=lambda client: client.label)
def own_scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """A home of its own, in which half of the sessions are told nothing."""
    client: Client = request.param
    if reason := obstacle(client):
        pytest.skip(reason)
    with prepared(client, tmp_path) as scene:
        scene.afterwit("measure", "skipping", "--sessions", "50", "--notes", "0")
        yield scene


def test_sessions_on_both_sides_are_captured_joined_and_reported(own_scene: Scene) -> None:
    own_scene.connect()
    sides: dict[str, str] = {}
    for _ in range(MOST_SESSIONS):
        played = own_scene.new_session(SHORT, own_scene.checkout)
        played.must_have_ended_with(SHORT.goodbye)
        drawn = sides_in(own_scene)
        (new,) = drawn.keys() - sides.keys()
        sides = drawn
        assert was_told(played) == (sides[new] == "told")
        if len(set(sides.values())) > 1:
            break
    own_scene.afterwit("learn")
    report = own_scene.asked("measure", "effect")
    told = sum(side == "told" for side in sides.values())
    assert (report["told"], report["not_told"], report["lost"]) == (told, len(sides) - told, 0)
    assert (report["finding"], report["alarms"], report["chance"]) == ("no-evidence", [], 0.5)
    rows = own_scene.asked("measure", "effect", "--explain", "failures")
    assert {row["session"]: "told" if row["is_told"] else "held" for row in rows} == sides
    assert {(row["value"], row["chance"]) for row in rows} == {(FAILED_IN_100, 0.5)}


def sides_in(scene: Scene) -> dict[str, str]:
    """The side of every session, as its hooks recorded it."""
    lines = (line for file in scene.store.glob("spool/*.jsonl") for line in file.read_text("utf-8").splitlines())
    drawn = [record for record in map(json.loads, lines) if record["kind"] == "draw"]
    sides = {record["session"]: record["arm"] for record in drawn}
    assert all(record["arm"] == sides[record["session"]] for record in drawn)
    assert all(record["odds"] == {"held": 0.5, "told": 0.5} for record in drawn)
    return sides


def was_told(played: Session) -> bool:
    return any(OPENING in text for text in played.texts)
