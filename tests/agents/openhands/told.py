"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, lines

PATH = "conversations/5f1d.jsonl"
NEXT = {"5f1d": "6f1d"}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def event(number: int, kind: str, source: str, **more: Any) -> dict[str, Any]:
        content = {"kind": kind, "id": f"5f1d-{number}", "timestamp": at(number)[:-1], "source": source, **more}
        return {"file": f"5f1d/events/event-{number:05d}.json", "content": content}

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        action = {"kind": "TerminalAction", "command": command}
        return event(number, "ActionEvent", "agent", action=action, tool_name="terminal", tool_call_id=call)

    def answered(number: int, call: str, text: str, code: int) -> dict[str, Any]:
        seen = {"kind": "TerminalObservation", "content": [{"type": "text", "text": text}], "exit_code": code}
        own = {"tool_name": "terminal", "tool_call_id": call}
        return event(number, "ObservationEvent", "environment", observation={**seen, "is_error": False}, **own)

    said = [{"type": "text", "text": text} for text in told[:2] if text]
    content = [{"type": "text", "text": ASK}]
    refused = {"rejection_reason": f"Action rejected: {told.refusal}", "tool_call_id": "call_b"}
    return lines(
        event(1, "MessageEvent", "user", llm_message={"role": "user", "content": content}, extended_content=said),
        asked(2, "call_a", WORKS),
        answered(3, "call_a", WORKED, 0),
        asked(4, "call_b", FAILS) if told.refusal else None,
        event(5, "UserRejectObservation", "environment", **refused) if told.refusal else None,
        asked(6, "call_c", FAILS),
        answered(7, "call_c", FAILED, CODE),
    )
