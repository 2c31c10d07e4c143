"""The small session that `told_sessions` describes, as this client's log keeps it."""

from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, at, framed, lines

PATH = "session-state/5e55-ff/events.jsonl"
NEXT = {
    "5e55-ff": "5e55-ee",
    '"id": "e': '"id": "f',
    '"messageId": "m': '"messageId": "n',
}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def event(number: int, kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "id": f"e{number}-{kind}", "timestamp": at(number), "parentId": None}

    def guidance(text: str) -> str:
        return framed('\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\n', text)

    def called(number: int, call: str, command: str, **ended: Any) -> list[dict[str, Any]]:
        request = {"toolCallId": call, "name": "bash", "arguments": {"command": command}, "type": "function"}
        return [
            event(number, "assistant.message", messageId=f"m{number}", content="", toolRequests=[request]),
            event(number, "tool.execution_start", toolCallId=call, toolName="bash", arguments={"command": command}),
            event(number + 1, "tool.execution_complete", toolCallId=call, **ended),
        ]

    def printed(text: str, code: int, note: str) -> dict[str, Any]:
        return {"success": True, "result": {"content": f"{text}\n<exited with exit code {code}>{guidance(note)}"}}

    refused = {"success": False, "error": {"message": f"Denied by preToolUse hook: {told.refusal}", "code": "denied"}}
    context = {"cwd": "/w/orchard"}
    reminder = framed("\n\n<system_reminder>\n", "\n\n".join(filter(None, told[:2])), "\n</system_reminder>")
    return lines(
        event(0, "session.start", sessionId="5e55-ff", copilotVersion="1.0.102", startTime=at(0), context=context),
        event(1, "user.message", content=f"{ASK}{reminder}", transformedContent=f"{ASK}{reminder}"),
        *called(2, "call_a", WORKS, **printed(WORKED, 0, told.success)),
        *(called(4, "call_b", FAILS, **refused) if told.refusal else ()),
        *called(6, "call_c", FAILS, **printed(FAILED, CODE, told.failure)),
    )
