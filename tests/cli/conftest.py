"""A small invented home with logs of several agents, and ways to run the command on it.

The logs tell of an orchard: two sessions of Claude Code, two of Codex, one plain chat, and one of an agent without a
reader.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.processes import COMMAND, run_text

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ORCHARD = "/home/ada/src/orchard"
REMOTE = "git@github.com:acme/orchard.git"


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def claude_session(session: str, prompt: str, command: str, *, is_error: bool = False, day: int = 1) -> str:
    """One prompt, one command, one reply."""

    def record(kind: str, number: int, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": kind,
            "uuid": f"{session}-{number}",
            "sessionId": session,
            "timestamp": f"2026-05-{day:02d}T10:00:{number:02d}.000Z",
            "cwd": ORCHARD,
            "gitBranch": "main",
            "version": "2.1.150",
            "isSidechain": False,
            "message": message,
        }

    output = "Exit code 2\nno rule to make target" if is_error else "42 trees"
    call = {"type": "tool_use", "id": f"toolu_{session}", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{session}", "is_error": is_error, "content": output}
    said = [{"type": "text", "text": "That is all."}]
    return lines(
        record("user", 1, {"role": "user", "content": prompt}),
        record("assistant", 2, {"id": f"msg_{session}_1", "role": "assistant", "model": "claude-x", "content": [call]}),
        record("user", 3, {"role": "user", "content": [result]}),
        record("assistant", 4, {"id": f"msg_{session}_2", "role": "assistant", "model": "claude-x", "content": said}),
    )


def codex_session(session: str, cwd: str, remote: str, prompt: str) -> str:
    """One prompt, one command that succeeds."""

    def item(second: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": f"2026-05-03T10:00:{second:02d}.000Z", "type": kind, "payload": payload}

    meta: dict[str, Any] = {
        "id": session,
        "timestamp": "2026-05-03T10:00:00.000Z",
        "cwd": cwd,
        "cli_version": "0.118.0",
    }
    if remote:
        meta["git"] = {"branch": "main", "repository_url": remote}
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}
    arguments = json.dumps({"cmd": "ls trees", "workdir": cwd})
    call = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": f"call_{session}"}
    output = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\napple\n"
    done = {"type": "function_call_output", "call_id": f"call_{session}", "output": output}
    return lines(
        item(0, "session_meta", meta),
        item(1, "response_item", asked),
        item(1, "event_msg", {"type": "user_message", "message": prompt}),
        item(2, "response_item", call),
        item(3, "response_item", done),
    )


def chat_session() -> str:
    function = {"name": "terminal", "arguments": json.dumps({"command": "date"})}
    return lines(
        {"role": "session_meta", "model": "example/large-1", "timestamp": "2026-05-04T10:15:00"},
        {"role": "user", "content": "Is it spring?", "timestamp": "2026-05-04T10:15:05"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
            "timestamp": "2026-05-04T10:15:07",
        },
        {"role": "tool", "tool_call_id": "call_0", "content": "Mon May 4", "timestamp": "2026-05-04T10:15:08"},
        {"role": "assistant", "content": "It is.", "timestamp": "2026-05-04T10:15:09"},
    )


def furnish(home: Path) -> None:
    """Fills an empty home."""
    first = claude_session("5ea50001", "Count the trees", "make count", is_error=True)
    second = claude_session("5ea50002", "Count them again", "make trees", day=2)
    codex = ".codex/sessions/2026/05/03/rollout-2026-05-03T10-00-00-01900001-0000-7000-8000-00000000000"
    files = {
        ".claude/projects/-home-ada-src-orchard/5ea50001.jsonl": first,
        ".claude/projects/-home-ada-src-orchard/5ea50002.jsonl": second,
        f"{codex}a.jsonl": codex_session("01900001-0000-7000-8000-00000000000a", ORCHARD, REMOTE, "Prune the apples"),
        f"{codex}b.jsonl": codex_session(
            "01900001-0000-7000-8000-00000000000b", "/home/ada/src/old-orchard", "", "What grows here?"
        ),
        ".hermes/sessions/session_20260504_101500_a1b2c3d4.jsonl": chat_session(),
        ".codex/sessions/rollout-2025-05-01T10-00-00-0a0a.json": "{}",
    }
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    furnish(place)
    return place


@pytest.fixture
def environ(home: Path, tmp_path: Path) -> dict[str, str]:
    return _environ(home, tmp_path / "store")


def _environ(home: Path, store: Path) -> dict[str, str]:
    """Nothing of the real surroundings but what the interpreter needs."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
    return kept | {"TZ": "UTC", "HOME": str(home), "USERPROFILE": str(home), "AFTERWIT_HOME": str(store)}


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    """Runs the real command in a process of its own."""

    def runs(*arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return run_text(COMMAND, arguments, environ | more)

    return runs


@pytest.fixture(scope="session")
def learned_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `afterwit learn` makes of an unchanged `home`: made once, because most tests begin with it."""
    place = tmp_path_factory.mktemp("learned")
    furnish(place / "home")
    assert run_text(COMMAND, ("learn",), _environ(place / "home", place / "store")).returncode == 0
    return place / "store"


@pytest.fixture
def learned(learned_store: Path, run: Run, tmp_path: Path) -> Run:
    """Runs the command after `learn`, on a copy of its store, which knows logs by their places below the home.

    The logs of this home have the same bytes and are other files: who asks what is not read yet has to learn here.
    """
    shutil.copytree(learned_store, tmp_path / "store")
    return run


def command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-c", "from afterwit.cli.main import main; main()", *arguments]
