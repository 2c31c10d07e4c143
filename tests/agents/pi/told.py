"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, lines

PATH = "sessions/--w-orchard--/2026_ff.jsonl"
NEXT = {"9a-ff": "9a-ee", "2026_ff": "2026_ee"}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def entry(number: int, **message: Any) -> dict[str, Any]:
        return {"type": "message", "id": f"{number:08d}", "parentId": None, "timestamp": at(number), "message": message}

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        content = [{"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": command}}]
        return entry(number, role="assistant", content=content, model="m", stopReason="toolUse")

    def answered(number: int, call: str, *texts: str, is_error: bool) -> dict[str, Any]:
        content = [{"type": "text", "text": text} for text in texts if text]
        return entry(number, role="toolResult", toolCallId=call, toolName="bash", content=content, isError=is_error)

    said = "\n\n".join(filter(None, told[:2]))
    custom = {
        "type": "custom_message",
        "id": "00000009",
        "parentId": None,
        "timestamp": at(1),
        "customType": "afterwit",
    }
    return lines(
        {"type": "session", "version": 3, "id": "9a-ff", "timestamp": at(0), "cwd": "/w/orchard"},
        entry(1, role="user", content=[{"type": "text", "text": ASK}]),
        {**custom, "content": said, "display": True} if said else None,
        asked(2, "call_a", WORKS),
        answered(3, "call_a", WORKED, told.success, is_error=False),
        asked(4, "call_b", FAILS) if told.refusal else None,
        answered(5, "call_b", told.refusal, is_error=True) if told.refusal else None,
        asked(6, "call_c", FAILS),
        answered(7, "call_c", f"{FAILED}\n\nCommand exited with code {CODE}", told.failure, is_error=True),
    )
