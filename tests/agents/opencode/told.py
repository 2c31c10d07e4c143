"""The small session that `told_sessions` describes, as this client's log keeps it."""

import json
from typing import Any

from tests.agents.told_sessions import ASK, CODE, FAILED, FAILS, WORKED, WORKS, Told, framed

PATH = "exports/ses_ff.json"
NEXT = {"ses_ff": "ses_ee", '"msg_': '"nsg_', '"prt_': '"qrt_'}  # what the client's next session has of its own


def write(told: Told) -> bytes:
    def message(number: int, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
        info = {"id": f"msg_{number}", "sessionID": "ses_ff", "role": role, "time": {"created": 1780000000000 + number}}
        own = {"modelID": "m", "providerID": "p"} if role == "assistant" else {}
        return {"info": {**info, **own}, "parts": list(parts)}

    def tool(number: int, call: str, command: str, **state: Any) -> dict[str, Any]:
        ran = {"time": {"start": 1780000000000, "end": 1780000000100}, "input": {"command": command}}
        return {"id": f"prt_{number}", "type": "tool", "tool": "bash", "callID": call, "state": {**state, **ran}}

    def printed(text: str, code: int, note: str) -> dict[str, Any]:
        output = f"{text}{framed(chr(10) * 2, note)}"
        return {"status": "completed", "output": output, "title": "x", "metadata": {"exit": code}}

    said = [
        {"id": f"prt_s{number}", "type": "text", "text": text, "synthetic": True}
        for number, text in enumerate(told[:2])
        if text
    ]
    refused = [tool(4, "call_b", FAILS, status="error", error=told.refusal)] if told.refusal else []
    info = {"id": "ses_ff", "directory": "/w/orchard", "title": "Pears", "version": "1.18.33", "projectID": "global"}
    calls = (
        tool(2, "call_a", WORKS, **printed(WORKED, 0, told.success)),
        *refused,
        tool(6, "call_c", FAILS, **printed(FAILED, CODE, told.failure)),
    )
    messages = [
        message(1, "user", {"id": "prt_1", "type": "text", "text": ASK}, *said),
        message(2, "assistant", *calls),
    ]
    times = {"time": {"created": 1780000000000, "updated": 1780000009000}}
    return json.dumps({"info": {**info, **times}, "messages": messages}).encode()
