"""A whole run of `learn` over tasks that are rewritten whole, and cut where the context was full."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.homes import learned, put, rows

TASK = "1777629600000"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def learn_from(home: Path, store: Path, messages: list[dict[str, Any]]) -> None:
    extension = home / ".config" / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    put(extension / "tasks" / TASK / "api_conversation_history.json", msgspec.json.encode(messages))
    learned(home, store)


def turn(number: int) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"toolu_{number:020d}", "name": "execute_command", "input": {"command": "prune"}}
    at_ms = 1777629601000 + number * 60_000
    header = "[execute_command for 'prune'] Result:"
    return [
        {"role": "user", "content": [{"type": "text", "text": f"<task>Prune row {number}</task>"}], "ts": at_ms},
        {"role": "assistant", "content": [call], "ts": at_ms + 1000},
        {
            "role": "user",
            "content": [{"type": "text", "text": header}, {"type": "text", "text": "ok"}],
            "ts": at_ms + 2000,
        },
    ]


def test_a_task_that_is_rewritten_and_cut_keeps_its_history(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    for messages in (turn(0), [*turn(0), *turn(1)], [*turn(1), *turn(2)]):
        learn_from(home, store, messages)
    assert rows(store, "SELECT native_id, prompts, actions FROM sessions") == [(TASK, 3, 3)]


def test_a_task_that_is_half_written_is_read_at_the_next_run(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learn_from(home, store, turn(0))
    place = next((home / ".config").rglob("api_conversation_history.json"))
    whole = msgspec.json.encode([*turn(0), *turn(1)])
    for data in (whole[:-20], whole):
        place.write_bytes(data)
        learned(home, store)
    assert rows(store, "SELECT prompts, actions FROM sessions") == [(2, 2)]
