"""A whole run of `learn` over a folder of Grok: the files of a session become one, and a rewind loses nothing."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import hash_of, learned, put, rows, world_of

from afterwit.engine.doctor.doctor import examine

SESSION = "01970000-0000-7000-8000-000000000001"
Records = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".grok" / "sessions" / "%2Fsrv%2Forchard" / SESSION


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def update(name: str, **body: Any) -> dict[str, Any]:
    meta = body.pop("meta", {})
    params = {"sessionId": SESSION, "update": {"sessionUpdate": name, **body}, "_meta": meta}
    return {"timestamp": 1777629601, "method": "session/update", "params": params}


def turn(words: str, number: int) -> Records:
    call = f"call-{number:020d}"
    return [
        update("user_message_chunk", content={"type": "text", "text": words}, meta={"promptId": f"prompt-{words}"}),
        update("tool_call", toolCallId=call, title="bash", rawInput={"command": f"prune {number}"}),
        update("tool_call_update", toolCallId=call, status="completed", content=[]),
    ]


def counts(store: Path) -> list[tuple[Any, ...]]:
    return rows(store, "SELECT native_id, prompts, actions FROM sessions")


def learn_from(folder: Path, store: Path, *turns: Records) -> None:
    put(folder / "updates.jsonl", [record for each in turns for record in each])
    learned(folder.parents[3], store)


def test_a_rewind_that_cuts_the_log_and_lets_it_grow_again_loses_and_doubles_nothing(folder: Path, store: Path) -> None:
    one, two, three = turn("one", 1), turn("two", 2), turn("three", 3)
    learn_from(folder, store, one, two)
    learn_from(folder, store, one)
    assert counts(store) == [(SESSION, 2, 2)]
    learn_from(folder, store, one, three)
    assert counts(store) == [(SESSION, 3, 3)]


def test_a_growing_log_gives_what_the_whole_gives(folder: Path, store: Path, tmp_path: Path) -> None:
    one, two = turn("one", 1), turn("two", 2)
    learn_from(folder, store, one)
    learn_from(folder, store, one, two)
    learned(folder.parents[3], tmp_path / "other")
    assert hash_of(store) == hash_of(tmp_path / "other")


def test_an_outcome_that_is_written_later_is_taken_in(folder: Path, store: Path) -> None:
    learn_from(folder, store, turn("one", 1))
    assert rows(store, "SELECT status FROM actions") == [("succeeded",)]
    row = {"type": "tool_completed", "tool_call_id": f"call-{1:020d}", "outcome": "permission_rejected"}
    put(folder / "events.jsonl", [row])
    learned(folder.parents[3], store)
    assert rows(store, "SELECT status FROM actions") == [("denied",)]


def test_a_folder_without_its_log_is_read_from_what_the_model_was_shown(folder: Path, store: Path) -> None:
    put(folder / "summary.json", [{"info": {"cwd": "/srv/orchard"}, "created_at": "2026-05-01T10:00:00Z"}])
    call = {"id": "c1", "name": "bash", "arguments": '{"command": "prune 1"}'}
    put(
        folder / "chat_history.jsonl",
        [
            {"type": "system", "content": "You are Grok."},
            {"type": "user", "content": "in the orchard", "synthetic_reason": "system_reminder"},
            {"type": "user", "content": "prune row one"},
            {"type": "reasoning", "summary": [{"text": "which row"}]},
            {"type": "assistant", "content": "I begin.", "tool_calls": [call]},
            {"type": "tool_result", "tool_call_id": "c1", "content": "no ladder"},
        ],
    )
    put(folder / "events.jsonl", [{"type": "tool_completed", "tool_call_id": "c1", "outcome": "error"}])
    report = learned(folder.parents[3], store)
    assert rows(store, "SELECT native_id, root, prompts, replies FROM sessions") == [(SESSION, "/srv/orchard", 1, 1)]
    assert rows(store, "SELECT tool, target, status FROM actions") == [("bash", "prune 1", "failed")]
    assert [agent.problems for agent in report.agents] == [1]
    (problem,) = rows(store, "SELECT reason FROM problems")
    assert "updates.jsonl is missing" in problem[0]
    assert learned(folder.parents[3], store).agents[0].read == 0


def test_files_whose_log_is_gone_are_counted_by_doctor(folder: Path, store: Path) -> None:
    put(folder / "summary.json", [{"info": {"cwd": "/srv/orchard"}}])
    put(folder / "events.jsonl", [{"type": "turn_ended"}])
    learned(folder.parents[3], store)
    (health,) = examine(world_of(folder.parents[3], store)).agents
    assert (health.agent, health.files_on_disk, health.files_orphaned) == ("grok", 0, 2)
