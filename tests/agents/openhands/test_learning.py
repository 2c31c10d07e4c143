"""A whole run of `learn` over event files: a growing conversation is appended, and read again from the archive."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.homes import Silent, hash_of, learned, put, rows, world_of

from afterwit.engine.archive.rebuild import rebuild


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def put_event(home: Path, number: int, **content: Any) -> None:
    place = home / ".openhands" / "sessions" / "0a1b2c3d" / "events" / f"{number}.json"
    put(place, msgspec.json.encode({"id": number, "timestamp": f"2026-05-01T10:00:{number:02d}", **content}))


def put_turn(home: Path, start: int) -> None:
    put_event(home, start, source="user", action="message", args={"content": f"Prune row {start}"})
    put_event(home, start + 1, source="agent", action="run", args={"command": f"prune {start}"})
    extras = {"metadata": {"exit_code": 1}}
    put_event(home, start + 2, source="agent", observation="run", content="no tree", cause=start + 1, extras=extras)


def test_a_conversation_that_goes_on_is_read_on(home: Path, store: Path) -> None:
    put_turn(home, 0)
    learned(home, store)
    put_turn(home, 9)  # the tenth event comes after the second one
    learned(home, store)
    assert rows(store, "SELECT native_id, prompts, actions FROM sessions") == [("0a1b2c3d", 2, 2)]
    assert rows(store, "SELECT target, status FROM actions ORDER BY target") == [
        ("prune 0", "failed"),
        ("prune 9", "failed"),
    ]


def test_the_archive_gives_the_same_again(home: Path, store: Path) -> None:
    put_turn(home, 0)
    put_turn(home, 3)
    learned(home, store)
    before = hash_of(store)
    rebuild(world_of(home, store), Silent())
    assert hash_of(store) == before
