"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, framed, lines

PATH = "tmp/orchard/chats/session-2026-05-01.jsonl"
NEXT = {
    "00ff": "00ee",
    "22222222-bbbb": "33333333-bbbb",
    "05-01.jsonl": "05-02.jsonl",
}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def context(text: str) -> str:
        return framed("\n\n<hook_context>", text, "</hook_context>")

    def called(number: int, call: str, command: str, **response: str) -> dict[str, Any]:
        given = {"functionResponse": {"id": call, "name": "run_shell_command", "response": response}}
        status = "error" if "error" in response else "success"
        use = {"id": call, "name": "run_shell_command", "args": {"command": command}, "timestamp": at(number)}
        tool = {**use, "status": status, "result": [given]}
        name = f"22222222-bbbb-4000-8000-0000000000{number:02d}"
        return {"id": name, "timestamp": at(number), "type": "gemini", "content": "", "toolCalls": [tool]}

    start = framed("<hook_context>", told.start, "</hook_context>\n\n")
    parts = [{"text": f"{start}{ASK}"}, *([{"text": context(told.prompt)}] if told.prompt else [])]
    refused = called(4, "call_b", FAILS, error=f"Tool execution blocked: {told.refusal}")
    return lines(
        {"sessionId": "bbbb2222-0000-4000-8000-0000000000ff", "projectHash": "9d", "startTime": at(0), "kind": "main"},
        {"id": "22222222-bbbb-4000-8000-000000000001", "timestamp": at(1), "type": "user", "content": parts},
        called(2, "call_a", WORKS, output=f"Output: {WORKED}\nProcess Group PGID: 9{context(told.success)}"),
        refused if told.refusal else None,
        called(6, "call_c", FAILS, output=f"Output: {FAILED}\nExit Code: {CODE}{context(told.failure)}"),
    )
