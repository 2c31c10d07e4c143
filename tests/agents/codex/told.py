"""The small session that `told_sessions` describes, as this client's log keeps it."""

import json
from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, lines

PATH = "sessions/2026/05/01/rollout-2026-05-01T10-00-00-ff.jsonl"
NEXT = {"00ff": "00ee", "-ff.jsonl": "-ee.jsonl"}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def item(number: int, **payload: Any) -> dict[str, Any]:
        return {"timestamp": at(number), "type": "response_item", "payload": payload}

    def spoken(number: int, role: str, text: str) -> dict[str, Any] | None:
        content = [{"type": "input_text", "text": text}]
        return item(number, type="message", role=role, content=content) if text else None

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        words = json.dumps({"cmd": command})
        return item(number, type="function_call", name="exec_command", arguments=words, call_id=call)

    def answered(number: int, call: str, text: str) -> dict[str, Any]:
        return item(number, type="function_call_output", call_id=call, output=text)

    def exited(code: int, text: str) -> str:
        return f"Wall time: 0.1000 seconds\nProcess exited with code {code}\nOriginal token count: 1\nOutput:\n{text}\n"

    meta = {"id": "01900001-0000-7000-8000-0000000000ff", "timestamp": at(0), "cwd": "/w/orchard", "source": "cli"}
    refused = f"Command blocked by PreToolUse hook: {told.refusal}. Command: {FAILS}"
    return lines(
        {"timestamp": at(0), "type": "session_meta", "payload": {**meta, "cli_version": "0.166.0"}},
        spoken(0, "developer", told.start),
        {"timestamp": at(1), "type": "event_msg", "payload": {"type": "user_message", "message": ASK}},
        spoken(1, "user", ASK),
        spoken(1, "developer", told.prompt),
        asked(2, "call_a", WORKS),
        spoken(3, "developer", told.success),
        answered(3, "call_a", exited(0, WORKED)),
        asked(4, "call_b", FAILS) if told.refusal else None,
        answered(5, "call_b", refused) if told.refusal else None,
        asked(6, "call_c", FAILS),
        spoken(7, "developer", told.failure),
        answered(7, "call_c", exited(CODE, FAILED)),
    )
