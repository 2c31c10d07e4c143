"""Cline on the command line.

Its hooks: text reaches the model with the result of a call. A refusal would end the whole run: there is none.

The session's files have the id of the root session; the id of a task is that of a conversation, which no file has.
"""

from afterwit.agents.hook_payloads import Answer, Moment, all_text, fields_at, number_after, text_at
from afterwit.model.quick_json import dumps

AGENT = {
    "name": "cline-cli",
    "rank": 130,
    "reader": "cline_cli.reader:ClineCliReader",
    "transcripts": ("sessions/*/*.messages.json", "*/*.messages.json"),
    "homes": (".cline/data",),
    "variables": (("CLINE_SESSION_DATA_DIR",), ("CLINE_DATA_DIR",), ("CLINE_DIR", "data")),
    "tools": {"edit": ("editor",)},
    "hooks": {
        "events": {"PreToolUse": "before", "PostToolUse": "after", "PreCompact": "compact", "TaskComplete": "end"},
        "carries": ("after",),
        "refuses": False,
    },
    "connect": {"rank": 80, "program": "cline", "folders": (".cline",), "also_named": ("cline",)},
}
_CODE = "Command exited with code"
_ERRORS = "[stderr]\n"  # stands before what a command that failed wrote there


def read(event: str, payload: dict[str, object]) -> Moment | None:
    call = fields_at(payload, "tool_result") or fields_at(payload, "tool_call")
    parts = call.get("output")
    output = all_text(parts)
    has_failed = isinstance(parts, list) and any(
        isinstance(part, dict) and part.get("success") is False for part in parts
    )
    roots = payload.get("workspaceRoots")
    return Moment(
        event,
        text_at(fields_at(payload, "sessionContext"), "rootSessionId") or text_at(payload, "taskId"),
        native=text_at(payload, "hookName"),
        cwd=text_at(payload, "cwd") or (all_text(roots[0]) if isinstance(roots, list) and roots else ""),
        context=text_at(payload, "agent_id") if text_at(payload, "parent_agent_id") else "",
        tool=text_at(call, "name"),
        arguments=fields_at(call, "input"),
        call=text_at(call, "id"),
        output=_strip_frame(output),
        is_error=has_failed or call.get("is_error") is True,
        exit_code=number_after(output, _CODE),
    )


def _strip_frame(output: str) -> str:
    """What a command printed, without the lines that Cline puts around it."""
    lines = output.replace(_ERRORS, "").split("\n")
    return "\n".join(line for line in lines if not line.startswith((_CODE, f"[{_CODE}"))).strip()


def write(moment: Moment, answer: Answer) -> str:  # noqa: ARG001 - every agent's has it
    said: dict[str, object] = {}
    if answer.arguments is not None:
        said["overrideInput"] = answer.arguments
    if answer.text:
        said["contextModification"] = answer.text
    return dumps(said) if said else ""
