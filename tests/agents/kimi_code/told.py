"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, framed, lines

PATH = "sessions/wd/s1/agents/main/wire.jsonl"
NEXT = {"wd/s1": "wd/s2", '"msg_': '"nsg_', '"5d-': '"6d-'}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def user(number: int, text: str, origin: str) -> dict[str, Any]:
        message = {"role": "user", "content": [{"type": "text", "text": text}], "id": f"msg_{number}"}
        given = {**message, "toolCalls": [], "origin": {"kind": origin}}
        return {"type": "context.append_message", "message": given, "time": 1777629600000 + number}

    def loop(number: int, **event: Any) -> dict[str, Any]:
        return {"type": "context.append_loop_event", "event": event, "time": 1777629600000 + number}

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        own = {"toolCallId": call, "uuid": f"5d-{number}", "name": "Bash", "args": {"command": command}}
        return loop(number, type="tool.call", **own)

    def answered(number: int, call: str, text: str, *, is_error: bool = False) -> dict[str, Any]:
        return loop(number, type="tool.result", toolCallId=call, result={"output": text, "isError": is_error})

    hook = '<hook_result hook_event="UserPromptSubmit">\n'
    said = "\n\n".join(filter(None, told[:2]))
    refused = f"ERROR: Tool execution failed.\n{told.refusal}"
    return lines(
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1777629600000},
        user(1, framed(hook, said, "\n</hook_result>"), "injection") if said else None,
        user(2, ASK, "user"),
        asked(3, "functions.Bash:0", WORKS),
        answered(4, "functions.Bash:0", WORKED),
        asked(5, "functions.Bash:1", FAILS) if told.refusal else None,
        answered(6, "functions.Bash:1", refused, is_error=True) if told.refusal else None,
        asked(7, "functions.Bash:2", FAILS),
        answered(8, "functions.Bash:2", f"{FAILED}\nCommand failed with exit code: {CODE}.", is_error=True),
    )
