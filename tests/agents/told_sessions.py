"""One small session of every client with hooks, as its log keeps it: a prompt, a command that works, one that fails.

Each is written by hand twice over: `Told` holds what we said at each moment, and every function puts it where that
client puts it. An empty text was not said, so that `Told()` gives the same session as if we had never been there. A
refusal stands before the command that failed: the call was refused, and then made once more.
"""

import json
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

ASK = "Run the tests of the orchard"
WORKS, WORKED = "make pears", "12 pears"
FAILS, FAILED = "make plums", "make: *** No rule to make target 'plums'."
CODE = 2


class Told(NamedTuple):
    """What we said, at which moment."""

    start: str = ""
    prompt: str = ""
    success: str = ""
    failure: str = ""
    refusal: str = ""


class Session(NamedTuple):
    """A way to write the session, and where it lies below the agent's home."""

    agent: str
    path: PurePosixPath
    write: Callable[[Told], bytes]


def lines(*records: dict[str, Any] | None) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records if each)


def at(second: int) -> str:
    return f"2026-05-01T10:00:{second:02d}.000Z"


def framed(before: str, text: str, after: str = "") -> str:
    return f"{before}{text}{after}" if text else ""


def claude_code(told: Told) -> bytes:
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


def codex(told: Told) -> bytes:
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


def gemini(told: Told) -> bytes:
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


def copilot(told: Told) -> bytes:
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


def qwen(told: Told) -> bytes:
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


def pi(told: Told) -> bytes:
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


def hermes(told: Told) -> bytes:
    def asked(number: int, call: str, command: str) -> dict[str, Any]:
        function = {"name": "terminal", "arguments": json.dumps({"command": command})}
        calls = [{"id": call, "type": "function", "function": function}]
        return {"role": "assistant", "content": "", "tool_calls": calls, "timestamp": at(number)}

    def answered(number: int, call: str, result: dict[str, Any], note: str = "") -> dict[str, Any]:
        text = f"{json.dumps(result)}{framed(chr(10) * 2, note)}"
        return {"role": "tool", "content": text, "tool_call_id": call, "timestamp": at(number)}

    said = framed("\n\n", "\n\n".join(filter(None, told[:2])))
    return lines(
        {"role": "session_meta", "model": "m", "platform": "cli", "timestamp": at(0)},
        {"role": "user", "content": f"{ASK}{said}", "timestamp": at(1)},
        asked(2, "call_a", WORKS),
        answered(3, "call_a", {"output": WORKED, "exit_code": 0, "error": None}, told.success),
        asked(4, "call_b", FAILS) if told.refusal else None,
        answered(5, "call_b", {"error": told.refusal}) if told.refusal else None,
        asked(6, "call_c", FAILS),
        answered(7, "call_c", {"output": FAILED, "exit_code": CODE, "error": None}, told.failure),
    )


def kimi_code(told: Told) -> bytes:
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


def openhands(told: Told) -> bytes:
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


def opencode(told: Told) -> bytes:
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


def cline_cli(told: Told) -> bytes:
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


SESSIONS = (
    Session("claude-code", PurePosixPath("projects/-w-orchard/s1.jsonl"), claude_code),
    Session("codex", PurePosixPath("sessions/2026/05/01/rollout-2026-05-01T10-00-00-ff.jsonl"), codex),
    Session("gemini", PurePosixPath("tmp/orchard/chats/session-2026-05-01.jsonl"), gemini),
    Session("copilot", PurePosixPath("session-state/5e55-ff/events.jsonl"), copilot),
    Session("opencode", PurePosixPath("exports/ses_ff.json"), opencode),
    Session("pi", PurePosixPath("sessions/--w-orchard--/2026_ff.jsonl"), pi),
    Session("hermes", PurePosixPath("sessions/20260501_100000_ff.jsonl"), hermes),
    Session("qwen", PurePosixPath("projects/-w-orchard/chats/0e55-ff.jsonl"), qwen),
    Session("kimi-code", PurePosixPath("sessions/wd/s1/agents/main/wire.jsonl"), kimi_code),
    Session("openhands", PurePosixPath("conversations/5f1d.jsonl"), openhands),
    Session("cline-cli", PurePosixPath("sessions/17_ff/17_ff.messages.json"), cline_cli),
)
