"""Which sessions count as shown an item, where the MCP server could not tell which one asked."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import learned
from tests.measure.histories import HOUR_S, Log

from afterwit.knowledge.door.echoes import echoes
from afterwit.knowledge.door.list import all_items
from afterwit.store import spool
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

BEGIN_MS = 1_777_629_600_000  # when a log with a start of 0 begins
FAILS = "Exit code 2\nerror: unrecognized subcommand 'cargo'"


class Asking(Log):
    def recall(self) -> "Asking":
        self._call("mcp__afterwit__recall", {"task": "Press"}, "Nothing is known for this task.")
        return self


def pressing(number: int, start_s: int, cwd: str = "/srv/orchard") -> Asking:
    log = Asking(number, start_s, cwd)
    log.prompt(f"Press the apples of row {number}").shell("wrapit cargo test", FAILS, fails=True)
    log.shell("cargo test", "test result: ok. 12 passed").edit("src/press.rs").shell("cargo test", "12 passed")
    return log


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def note(store: Path, at_s: int, **more: Any) -> None:
    """Something that a run of the server gave, while a session was three seconds old."""
    record = {"kind": "draw", "at": BEGIN_MS + at_s * 1_000 + 3_000, "agent": "claude-code", "session": "mcp-1"}
    spool.append(Layout(store).spool, "x", "y", record | {"moment": "recall", "items": {"one": 1, "two": 0}} | more)


def shown(home: Path, store: Path) -> dict[str, set[int]]:
    """By item, the numbers of the sessions that count as shown."""
    learned(home, store)
    with open_store(Layout(store)) as one:
        return {item: {int(story[-4:]) for story in stories} for item, stories in echoes(one.db, {}).items()}


def put_three(home: Path, store: Path) -> None:
    """One session with a call of ours, one beside it, one later, and one elsewhere at the same time."""
    pressing(1, 0).recall().put(home)
    pressing(2, 1).put(home)
    pressing(3, HOUR_S).put(home)
    pressing(4, 0, "/srv/harbour").put(home)
    learned(home, store)


def repo_of(store: Path) -> str:
    with open_store(Layout(store)) as one:
        return str(one.db.execute("SELECT repo FROM sessions WHERE native_id LIKE '%2'").get)


def test_the_session_whose_log_has_the_call_was_shown_it(home: Path, store: Path) -> None:
    put_three(home, store)
    note(store, 0, repo=repo_of(store))
    assert shown(home, store) == {"one": {1}}


def test_without_a_call_in_any_log_all_that_were_under_way_there_were(home: Path, store: Path) -> None:
    put_three(home, store)
    pressing(5, HOUR_S + 2).put(home)
    note(store, HOUR_S, repo=repo_of(store))
    assert shown(home, store) == {"one": {3, 5}}


def test_an_agent_that_nobody_knows_may_have_been_any(home: Path, store: Path) -> None:
    put_three(home, store)
    note(store, HOUR_S, repo=repo_of(store), agent="mcp")
    note(store, HOUR_S, repo=repo_of(store), agent="codex", items={"three": 1})
    assert shown(home, store) == {"one": {3}, "three": set()}


def test_what_was_held_out_was_shown_to_nobody(home: Path, store: Path) -> None:
    put_three(home, store)
    note(store, 0, repo=repo_of(store), items={"one": 0}, held=1)
    assert shown(home, store) == {}


def test_a_session_that_was_shown_an_item_by_the_server_is_no_evidence_for_it(home: Path, store: Path) -> None:
    for number in range(3):
        pressing(number, number * HOUR_S).put(home)
    learned(home, store)
    (item,) = _corrections(store)
    assert item.reason == "seen in 3 independent sessions"
    note(store, 2 * HOUR_S, repo=item.scope.name, items={item.id: 1})
    learned(home, store)
    (after,) = _corrections(store)
    assert after.reason == "seen in 2 independent sessions"
    assert after.belief.mean < item.belief.mean


def _corrections(store: Path) -> list[Any]:
    with open_store(Layout(store)) as one:
        return [item for item in all_items(one.db) if item.harvester == "corrections"]
