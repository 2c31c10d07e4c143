"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, framed, lines

PATH = "projects/-w-orchard/chats/0e55-ff.jsonl"
NEXT = {"0e55-ff": "0e55-ee", '"uuid": "a': '"uuid": "b'}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def record(number: int, kind: str, **more: Any) -> dict[str, Any]:
        own = {"uuid": f"a{number}-{kind}", "parentUuid": None, "sessionId": "0e55-ff", "timestamp": at(number)}
        return {**own, "type": kind, "cwd": "/w/orchard", "version": "0.24.4", **more}

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        part = {"functionCall": {"id": call, "name": "run_shell_command", "args": {"command": command}}}
        return record(number, "assistant", model="q", message={"role": "model", "parts": [part]})

    def answered(number: int, call: str, status: str, **response: str) -> dict[str, Any]:
        part = {"functionResponse": {"id": call, "name": "run_shell_command", "response": response}}
        outcome = {"callId": call, "status": status}
        return record(number, "tool_result", message={"role": "user", "parts": [part]}, toolCallResult=outcome)

    def printed(text: str, code: int, note: str) -> str:
        frame = f"Command: x\nDirectory: (root)\nOutput: {text}\nError: (none)\nExit Code: {code}\nSignal: (none)"
        return f"{frame}{framed(chr(10) * 2, note)}"

    tag = "qwen:user-prompt-submit-context"
    said = [{"text": framed(f"<{tag}>\n", text, f"\n</{tag}>")} for text in told[:2] if text]
    return lines(
        record(1, "user", message={"role": "user", "parts": [{"text": ASK}, *said]}),
        asked(2, "call_a", WORKS),
        answered(3, "call_a", "success", output=printed(WORKED, 0, told.success)),
        asked(4, "call_b", FAILS) if told.refusal else None,
        answered(5, "call_b", "error", error=told.refusal) if told.refusal else None,
        asked(6, "call_c", FAILS),
        answered(7, "call_c", "success", output=printed(FAILED, CODE, told.failure)),
    )
