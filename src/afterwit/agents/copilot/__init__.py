"""Copilot CLI, GitHub's client.

Its hooks: flat JSON in both directions, no name of the event in the input, plain text ignored.

A hook that ends with anything but 0 before a call denies it. A command that failed is told as a success whose text ends
with its exit code; only its own tools fail with an event of their own. What was said at a start is not kept: a resumed
session has lost it.
"""

from afterwit.agents.hook_payloads import BEFORE, FORGETFUL, Answer, Moment, all_text, fields_at, number_after, text_at
from afterwit.model.quick_json import dumps, loads

AGENT = {
    "name": "copilot",
    "rank": 110,
    "reader": "copilot.reader:CopilotReader",
    "transcripts": ("session-state/*/events.jsonl", "history-session-state/*.json"),
    "homes": (".copilot",),
    "variables": (("COPILOT_HOME",),),
    "tools": {"delegate": ("task",)},
    "own_tools": ("ask_user", "bash", "powershell", "edit", "create", "view", "str_replace_editor", "apply_patch"),
    "instructions": {
        "in_checkouts": (".github/copilot-instructions.md",),
        "in_homes": (".copilot/copilot-instructions.md",),
    },
    "skills": {"user": ".copilot/skills", "project": ".github/skills", "variable": ("COPILOT_HOME", "skills")},
    "hooks": {
        "events": {
            "sessionStart": "start",
            "userPromptSubmitted": "prompt",
            "preToolUse": "before",
            "postToolUse": "after",
            "postToolUseFailure": "after",
            "preCompact": "compact",
            "sessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "connect": {"rank": 50, "program": "copilot", "folders": (".copilot",)},
}
_SOURCES = {"new": "startup", "resume": FORGETFUL}


def read(event: str, payload: dict[str, object]) -> Moment | None:
    result = fields_at(payload, "toolResult")
    error = all_text(payload.get("error"))
    output = error or all_text(result.get("textResultForLlm"))
    code = number_after(output[-200:], "exit code")
    source = text_at(payload, "source")
    return Moment(
        event,
        text_at(payload, "sessionId", "session_id"),
        cwd=text_at(payload, "cwd"),
        source=_SOURCES.get(source, source),
        prompt=text_at(payload, "prompt"),
        tool=text_at(payload, "toolName", "tool_name"),
        arguments=_arguments(payload),
        output=output,
        is_error=bool(error) or bool(code) or result.get("resultType") == "failure",
        exit_code=code,
    )


def write(moment: Moment, answer: Answer) -> str:
    said: dict[str, object] = {}
    if answer.reason:
        said = {"permissionDecision": "deny", "permissionDecisionReason": answer.reason}
    elif answer.arguments is not None and moment.event == BEFORE:
        said = {"modifiedArgs": answer.arguments}
    if answer.text:
        said["additionalContext"] = answer.text
    return dumps(said) if said else ""


def _arguments(payload: dict[str, object]) -> dict[str, object]:
    """An object, or the text of one."""
    value = payload.get("toolArgs", payload.get("tool_input"))
    if isinstance(value, str):
        try:
            value = loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}
