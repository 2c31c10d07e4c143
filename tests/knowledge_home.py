"""A home from which something can be learned: in each session a wrapper fails that the next command leaves out."""

import datetime as dt
from pathlib import Path
from typing import Any

from tests.homes import CLAUDE, ORCHARD, put

MAY = dt.date(2026, 5, 1)
FACT = "Instead of `rtk make …`, which fails, call `make …`."


def learnable_home(home: Path, sessions: int = 3, *, cwd: str = ORCHARD, since: dt.date = MAY) -> Path:
    """As many sessions of Claude Code, one a day."""
    for number in range(sessions):
        day = since + dt.timedelta(days=number)
        put(home / CLAUDE / f"s{number + 1}.jsonl", _session(f"s{number + 1}", day, cwd))
    return home


def _session(session: str, day: dt.date, cwd: str) -> list[dict[str, Any]]:
    def record(number: int, kind: str, content: Any) -> dict[str, Any]:
        message = {"id": f"msg_{session}_{number}", "role": kind, "model": "claude-x", "content": content}
        return {
            "type": kind,
            "uuid": f"{session}-{number}",
            "sessionId": session,
            "timestamp": f"{day.isoformat()}T10:00:{number:02d}.000Z",
            "cwd": cwd,
            "gitBranch": "main",
            "version": "2.1.150",
            "isSidechain": False,
            "message": message,
        }

    def call(number: int, command: str) -> dict[str, Any]:
        use = {"type": "tool_use", "id": f"toolu_{session}_{number}", "name": "Bash", "input": {"command": command}}
        return record(number, "assistant", [use])

    def result(number: int, output: str, *, is_error: bool) -> dict[str, Any]:
        use = f"toolu_{session}_{number - 1}"
        return record(
            number, "user", [{"type": "tool_result", "tool_use_id": use, "is_error": is_error, "content": output}]
        )

    return [
        record(1, "user", "Count the trees"),
        call(2, "rtk make count"),
        result(3, "Exit code 2\nerror: unrecognized subcommand 'make'", is_error=True),
        call(4, "make count"),
        result(5, "42 trees", is_error=False),
        record(6, "assistant", [{"type": "text", "text": "There are 42 trees."}]),
    ]
