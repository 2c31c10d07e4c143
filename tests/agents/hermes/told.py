"""The small session that `told_sessions` describes, as this client's log keeps it."""

import json
from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, framed, lines

PATH = "sessions/20260501_100000_ff.jsonl"
NEXT = {"_ff.jsonl": "_ee.jsonl"}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        function = {"name": "terminal", "arguments": json.dumps({"command": command})}
        calls = [{"id": call, "type": "function", "function": function}]
        return {"role": "assistant", "content": "", "tool_calls": calls, "timestamp": at(number)}

    def answered(number: int, call: str, result: dict[str, Any], note: str = "") -> dict[str, Any]:
        text = f"{json.dumps(result)}{framed(chr(10) * 2, note)}"
        return {"role": "tool", "content": text, "tool_call_id": call, "timestamp": at(number)}

    said = framed("\n\n", "\n\n".join(filter(None, told[:2])))
    return lines(
        {"role": "session_meta", "model": "m", "platform": "cli", "timestamp": at(0)},
        {"role": "user", "content": f"{ASK}{said}", "timestamp": at(1)},
        asked(2, "call_a", WORKS),
        answered(3, "call_a", {"output": WORKED, "exit_code": 0, "error": None}, told.success),
        asked(4, "call_b", FAILS) if told.refusal else None,
        answered(5, "call_b", {"error": told.refusal}) if told.refusal else None,
        asked(6, "call_c", FAILS),
        answered(7, "call_c", {"output": FAILED, "exit_code": CODE, "error": None}, told.failure),
    )
