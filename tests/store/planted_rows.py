"""Rows to plant: one file with one part of one session, small and complete."""

from typing import NamedTuple

import apsw

from afterwit.model.captured import ActionRow, Captured, EventRow, PartFacts, SpendRow, TextRow
from afterwit.model.kinds import ActionKind, EventKind, Lean, Status
from afterwit.model.readings import Problem
from afterwit.store.rows import files, parts, sessions

AGENT = "claude-code"


class Planted(NamedTuple):
    file_id: int
    part_id: int
    session_id: int


def facts(native_id: str = "one", **fields: object) -> PartFacts:
    """The facts of a session that asked once and did one thing."""
    given: dict[str, object] = {"prompts": 1, "events": 3, "calls": 1, "started_ms": 1_000, "ended_ms": 2_000}
    return PartFacts(native_id=native_id, **{**given, **fields})  # type: ignore[arg-type]


def captured(part: PartFacts, **rows: object) -> Captured:
    """Three events, a failed action and a spend."""
    given: dict[str, object] = {
        "parts": [part],
        "events": [
            EventRow(0, 0, EventKind.PROMPT, 1_000, 0, 50, False),
            EventRow(0, 1, EventKind.CALL, 1_500, 50, 60, False),
            EventRow(0, 2, EventKind.RESULT, 2_000, 110, 40, False),
        ],
        "actions": [action()],
        "spends": [spend()],
        "texts": [TextRow(0, 0, "Prune the plums")],
        "problems": [Problem(150, 9, "not a JSON object")],
        "claims": [[1, 2]],
        "resume": b"",
    }
    return Captured(**{**given, **rows})  # type: ignore[arg-type]


def action(**fields: object) -> ActionRow:
    given: dict[str, object] = {
        "part": 0,
        "ordinal": 0,
        "call_id": "call-1",
        "tool": "Bash",
        "kind": ActionKind.SHELL,
        "target": "make test",
        "status": Status.FAILED,
        "lean": Lean.FAILED,
        "exit_code": 2,
        "error": "make: *** No rule",
        "at_ms": 1_500,
        "duration_ms": 500,
        "offset": 50,
        "result_offset": 110,
    }
    return ActionRow(**{**given, **fields})  # type: ignore[arg-type]


def spend(**fields: object) -> SpendRow:
    given: dict[str, object] = {
        "part": 0,
        "key": 7,
        "at_ms": 1_200,
        "model": "model-a",
        "input": 10,
        "cache_read": 20,
        "cache_write": 30,
        "output": 40,
        "reasoning": 5,
        "cost_usd": 0.25,
    }
    return SpendRow(**{**given, **fields})  # type: ignore[arg-type]


def plant(db: apsw.Connection, native_id: str = "one", path: str = "a.jsonl", precedence: str = "1") -> Planted:
    """Writes a whole file, as a run of `learn` would."""
    part = facts(native_id)
    file_id = files.add_file(db, AGENT, files.file_key(AGENT, path), 0, path, "transcript")
    session = sessions.session_id(db, AGENT, native_id)
    part_id = parts.put_part(db, file_id, session, precedence, part)
    rows = captured(part)
    parts.put_rows(db, rows, {0: part_id})
    parts.put_problems(db, file_id, 0, rows.problems)
    files.note_state(db, file_id, "read")
    files.note_held(db, file_id, 159, "5f" * 32)
    files.note_reading(db, file_id, 150, b"", {"user": 2}, {"odd": 1})
    sessions.refresh_session(db, session)
    return Planted(file_id, part_id, session)
