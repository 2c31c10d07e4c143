"""Sessions of Hermes written by hand: as the lines of older builds, and as rows of its database."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.homes import put

START_S = 1_777_630_500
DAY_S = 86_400
Message = dict[str, Any]


class Ran(NamedTuple):
    """A command line, what it printed, and how it ended."""

    command: str
    output: str = ""
    exit_code: int = 0


class Coded(NamedTuple):
    """Code that was executed, and what it printed; or the error with which it ended."""

    code: str
    output: str = ""
    error: str = ""


class Said(NamedTuple):
    text: str


Step = Ran | Coded | Said


def messages(prompt: str, steps: Iterable[Step], day: int) -> list[Message]:
    """The messages of one session, a few seconds apart."""
    at, log = START_S + day * DAY_S, [{"role": "user", "content": prompt, "timestamp": START_S + day * DAY_S}]
    for number, step in enumerate(steps):
        at += 20
        if isinstance(step, Said):
            log.append({"role": "assistant", "content": step.text, "timestamp": at})
            continue
        tool, given, said = _called(step)
        function = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"call_{day}_{number}", "type": "function", "function": function}
        result = json.dumps(said)
        log.append({"role": "assistant", "content": "", "tool_calls": [call], "timestamp": at})
        log.append({"role": "tool", "tool_call_id": call["id"], "content": result, "timestamp": at + 5})
    return log


def _called(step: Ran | Coded) -> tuple[str, Message, Message]:
    """The tool, what it was given, and what it gave back."""
    if isinstance(step, Ran):
        said: Message = {"output": step.output, "exit_code": step.exit_code, "error": None}
        return "terminal", {"command": step.command}, said
    status = {"status": "error" if step.error else "success", "output": step.output, "tool_calls_made": 0}
    return "execute_code", {"code": step.code}, {**status, **({"error": step.error} if step.error else {})}


def put_lines(home: Path, sessions: Sequence[list[Message]]) -> None:
    """As older builds of Hermes kept them: one file each, which says nothing of a folder."""
    for number, log in enumerate(sessions):
        put(home / ".hermes" / "sessions" / f"202605{number + 1:02d}_101500_{number:06x}.jsonl", log)


def put_database(home: Path, sessions: Sequence[list[Message]]) -> None:
    """As its database has them, which older rows leave without a folder too."""
    (home / ".hermes").mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(home / ".hermes" / "state.db")
    db.execute(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT,"
        " parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, cwd TEXT, title TEXT)"
    )
    db.execute(
        "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,"
        " content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL)"
    )
    for number, log in enumerate(sessions):
        session, start = f"202605{number + 1:02d}_101500_{number:06x}", log[0]["timestamp"]
        db.execute(
            "INSERT INTO sessions (id, source, model, started_at) VALUES (?, 'telegram', 'm-1', ?)", (session, start)
        )
        for message in log:
            calls = json.dumps(message["tool_calls"]) if "tool_calls" in message else None
            said, answers = (message["role"], message["content"]), message.get("tool_call_id")
            db.execute(
                "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, timestamp)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (session, *said, answers, calls, message["timestamp"]),
            )
    db.commit()
    db.close()
