"""The records of an export: one shape for all agents, stable, redacted."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes import PARENT, family_home, learned, mixed_home, world_of

from afterwit.config.world import World
from afterwit.sessions.export import export, session_document
from afterwit.sessions.filters import Filter, find_session
from afterwit.sessions.originals import source_of

KEYS = {
    "event": {"type", "agent", "session", "number", "kind", "happened_at", "text", "call_id", "tool", "arguments"},
    "action": {
        *("type", "agent", "session", "event", "call_id", "tool", "kind", "target", "status", "lean", "exit_code"),
        *("error", "happened_at", "duration_ms"),
    },
    "gap": {"type", "agent", "session", "why", "count", "detail"},
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    home = family_home(mixed_home(tmp_path / "home"))
    learned(home, tmp_path / "store")
    return world_of(home, tmp_path / "store")


def records(world: World, wanted: Filter | None = None) -> list[dict[str, Any]]:
    with source_of(world) as source:
        return [json.loads(line) for line in export(source, world.settings, wanted or Filter())]


def test_every_record_has_the_documented_keys(world: World) -> None:
    found = records(world)
    assert {record["type"] for record in found} == {"session", "event", "action"}
    for record in found:
        if record["type"] != "session":
            assert set(record) == KEYS[record["type"]]
    assert all(record["format"] == 2 for record in found if record["type"] == "session")


def test_counts_of_a_session_agree_with_its_records(world: World) -> None:
    found = records(world)
    for session in (record for record in found if record["type"] == "session"):
        own = [r for r in found if r["session"] == session["session"] and r["agent"] == session["agent"]]
        assert sum(record["type"] == "event" for record in own) == session["events"]
        assert sum(record["type"] == "action" for record in own) == session["actions"]
        assert sum(record.get("status") == "failed" for record in own) == session["failures"]


def test_an_action_follows_its_call(world: World) -> None:
    found = records(world)
    for place, record in enumerate(found):
        if record["type"] == "action":
            call = found[place - 1]
            assert (call["kind"], call["number"], call["call_id"]) == ("call", record["event"], record["call_id"])


def test_two_stores_export_the_same_bytes(world: World, tmp_path: Path) -> None:
    """Also with another key: the suffixes of placeholders stay at home."""
    learned(world.user_home, tmp_path / "other")
    other = world_of(world.user_home, tmp_path / "other")
    assert records(world) == records(other)


def test_filters_apply(world: World) -> None:
    assert {record["agent"] for record in records(world, Filter(agents=("codex",)))} == {"codex"}


def test_a_document_holds_the_subagents(world: World) -> None:
    with source_of(world) as source:
        row = find_session(source.store.db, PARENT)
        whole = json.loads("".join(session_document(source, world.settings, row)))
        alone = json.loads("".join(session_document(source, world.settings, row, with_subagents=False)))
    assert whole["session"]["session"] == PARENT
    assert [child["session"]["session"] for child in whole["subagents"]] == ["agent-f00d"]
    assert alone["subagents"] == []
    assert alone["records"] == whole["records"]
