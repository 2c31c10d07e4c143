"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, lines

PATH = "projects/-w-orchard/s1.jsonl"
NEXT = {
    '"s1"': '"s2"',
    '"uuid": "u': '"uuid": "v',
    "s1.jsonl": "s2.jsonl",
    '"id": "m': '"id": "n',
}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def record(number: int, kind: str, **more: Any) -> dict[str, Any]:
        own = {"type": kind, "uuid": f"u{number}", "sessionId": "s1", "timestamp": at(number), "cwd": "/w/orchard"}
        return {**own, "version": "2.1.325", "isSidechain": False, **more}

    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        return record(number, "assistant", message={"id": f"m{number}", "role": "assistant", "content": [use]})

    def answered(number: int, call: str, text: str, *, is_error: bool) -> dict[str, Any]:
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": is_error}
        return record(number, "user", message={"role": "user", "content": [block]})

    def context(number: int, event: str, text: str) -> dict[str, Any] | None:
        given = {"type": "hook_additional_context", "content": [text], "hookName": event, "hookEvent": event}
        return record(number, "attachment", attachment=given) if text else None

    refused = f"PreToolUse:Bash hook error: {told.refusal}"
    return lines(
        context(0, "SessionStart", told.start),
        record(1, "user", message={"role": "user", "content": ASK}),
        context(1, "UserPromptSubmit", told.prompt),
        asked(2, "toolu_a", WORKS),
        answered(3, "toolu_a", WORKED, is_error=False),
        context(3, "PostToolUse:Bash", told.success),
        asked(4, "toolu_b", FAILS) if told.refusal else None,
        answered(5, "toolu_b", refused, is_error=True) if told.refusal else None,
        asked(6, "toolu_c", FAILS),
        answered(7, "toolu_c", f"Exit code {CODE}\n{FAILED}", is_error=True),
        context(7, "PostToolUseFailure:Bash", told.failure),
    )
