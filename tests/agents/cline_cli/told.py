"""The small session that `told_sessions` describes, as this client's log keeps it."""

import json
from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, framed

PATH = "sessions/17_ff/17_ff.messages.json"
NEXT = {"17_ff": "17_ee", '"msg_': '"nsg_'}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def message(number: int, role: str, *content: dict[str, Any]) -> dict[str, Any]:
        return {"id": f"msg_{number}", "role": role, "content": list(content), "ts": 1777629600000 + number}

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        use = {"type": "tool_use", "id": call, "name": "run_commands", "input": {"commands": [command]}}
        return message(number, "assistant", use)

    def answered(number: int, call: str, output: dict[str, Any], note: str) -> dict[str, Any]:
        tag = f'<hook_context source="PostToolUse" tool_name="run_commands" tool_call_id="{call}">\n'
        said = [{"type": "text", "text": framed(tag, note, "\n</hook_context>")}] if note else []
        block = {"type": "tool_result", "tool_use_id": call, "name": "run_commands", "content": [output]}
        return message(number, "user", block, *said)

    words = f"Command exited with code {CODE}"
    failed = {"query": FAILS, "result": f"[{words}]\n\n[stderr]\n{FAILED}", "error": words, "success": False}
    messages = [
        message(1, "user", {"type": "text", "text": f'<user_input mode="act">{ASK}</user_input>'}),
        asked(2, "call_a", WORKS),
        answered(3, "call_a", {"query": WORKS, "result": WORKED, "success": True}, told.success),
        asked(6, "call_c", FAILS),
        answered(7, "call_c", failed, told.failure),
    ]
    return json.dumps({"version": 1, "agent": "lead", "sessionId": "17_ff", "messages": messages}).encode()
