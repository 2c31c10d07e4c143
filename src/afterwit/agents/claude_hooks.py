"""The hook protocol of Claude Code, which Codex, Qwen and Kimi speak too, each with deviations of its own.

Input: one JSON object with `session_id`, `hook_event_name` and the fields of the event. Output: `hookSpecificOutput`,
and beside it nothing that the strictest of them would reject. Which events carry text is for each agent to say.
"""

from afterwit.agents.moments import (
    AFTER,
    BEFORE,
    COMPACT,
    END,
    PROMPT,
    START,
    Answer,
    Moment,
    all_text,
    fields_at,
    number_after,
    text_at,
)
from afterwit.model.quick_json import dumps

NATIVE = {
    START: "SessionStart",
    PROMPT: "UserPromptSubmit",
    BEFORE: "PreToolUse",
    AFTER: "PostToolUse",
    COMPACT: "PreCompact",
    END: "SessionEnd",
}
_FAILED = "PostToolUseFailure"


def read(event: str, payload: dict[str, object]) -> Moment:
    native = text_at(payload, "hook_event_name") or NATIVE[event]
    output = all_text(payload.get("tool_response")) or all_text(payload.get("tool_output"))
    error = all_text(payload.get("error"))
    has_failed = native == _FAILED
    return Moment(
        event,
        text_at(payload, "session_id"),
        native=native,
        cwd=text_at(payload, "cwd"),
        context=text_at(payload, "agent_id"),
        source=text_at(payload, "source"),
        prompt=all_text(payload.get("prompt")),
        tool=text_at(payload, "tool_name"),
        arguments=fields_at(payload, "tool_input"),
        call=text_at(payload, "tool_use_id", "tool_call_id"),
        output=(error or output) if has_failed else output,
        is_error=None if payload.get("is_interrupt") is True else has_failed,
        exit_code=number_after((error or output)[:200], "Exit code", "Exit Code:") if has_failed else None,
        transcript=text_at(payload, "transcript_path"),
    )


def write(moment: Moment, answer: Answer, *, needs_allowance: bool = False) -> str:
    """The output. `needs_allowance`: a rewrite counts only together with a permission."""
    said: dict[str, object] = {"hookEventName": moment.native}
    if answer.reason:
        said |= {"permissionDecision": "deny", "permissionDecisionReason": answer.reason}
    elif answer.arguments is not None:
        said |= {"permissionDecision": "allow"} if needs_allowance else {}
        said["updatedInput"] = answer.arguments
    if answer.text:
        said["additionalContext"] = answer.text
    notice: dict[str, object] = {"systemMessage": answer.notice} if answer.notice else {}
    return dumps({**notice, "hookSpecificOutput": said}) if len(said) > 1 else ""
