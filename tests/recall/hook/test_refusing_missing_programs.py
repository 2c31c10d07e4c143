"""From sessions to a refusal: what was not found again and again is refused once, with the words that reach it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.homes import learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.knowledge.door.list import all_items
from afterwit.measure.experiment import set_skipping
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

MAIN = "from afterwit.recall.hook.entry import main; main()"
DAY_S = 24 * HOUR_S
FAILS = "Exit code 127\nzsh:1: command not found: pytest"


def failing_session(home: Path, number: int, *, cwd: str = "/srv/orchard") -> Log:
    log = Log(number, number * DAY_S, cwd)
    log.prompt(f"Graft row {number} of the orchard").shell("pytest -q", FAILS, fails=True)
    log.shell("uv run pytest -q", "12 passed")
    log.put(home)
    return log


def asked(home: Path, store: Path, event: str, *flags: str, session: str = "new", **more: Any) -> str:
    payload = {"session_id": session, "cwd": "/srv/orchard", "tool_name": "Bash", **more}
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store), "PATH": os.environ.get("PATH", "")}
    command = [sys.executable, "-I", "-c", MAIN, "claude-code", event, *flags]
    ran = subprocess.run(
        command, input=json.dumps(payload).encode(), capture_output=True, env=environ, timeout=60, check=True
    )
    return ran.stdout.decode()


def before(home: Path, store: Path, line: str, *, session: str = "new") -> str:
    """The reason for which a command is refused; "" where it is not."""
    said = asked(home, store, "before", "--refuse", session=session, tool_input={"command": line})
    return str(json.loads(said)["hookSpecificOutput"].get("permissionDecisionReason", "")) if said else ""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(1, 7):
        failing_session(home, number)
    learned(home, store)
    set_skipping(world_of(home, store), 0.0, 0.0)
    return home, store


def test_a_missing_program_is_refused_once_with_the_words_that_reach_it(places: tuple[Path, Path]) -> None:
    reason = before(*places, "pytest -q tests/test_row.py")
    assert "`uv run pytest -q tests/test_row.py`" in reason
    assert before(*places, "pytest -q tests/test_row.py") == ""


@pytest.mark.parametrize(
    "line", ["uv run pytest -q", ".venv/bin/pytest -q", "python -m pytest", "pip install pytest", "which pytest"]
)
def test_other_ways_to_the_program_pass(places: tuple[Path, Path], line: str) -> None:
    assert before(*places, line) == ""


def test_the_note_after_the_failure_stays_and_other_failures_get_none(places: tuple[Path, Path]) -> None:
    failed: dict[str, Any] = {"tool_input": {"command": "pytest -q"}, "hook_event_name": "PostToolUseFailure"}
    assert "uv run pytest" in asked(*places, "after", error=FAILS, **failed)
    other = "Exit code 4\nERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --rows"
    assert asked(*places, "after", session="other", error=other, **failed) == ""


def test_too_few_sessions_refuse_nothing(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    failing_session(home, 1)
    failing_session(home, 2)
    learned(home, store)
    set_skipping(world_of(home, store), 0.0, 0.0)
    assert before(home, store, "pytest -q") == ""


def test_a_program_that_was_seen_to_work_since_is_not_refused(places: tuple[Path, Path]) -> None:
    home, store = places
    Log(7, 7 * DAY_S, "/srv/orchard").prompt("Graft row 7").shell("pytest -q", "12 passed").put(home)
    learned(home, store)
    with open_store(Layout(store)) as one:
        (item,) = [item for item in all_items(one.db) if item.harvester == "environment"]
    assert [trigger.program for trigger in item.triggers if not trigger.signature] == []
    assert before(home, store, "pytest -q") == ""
