"""Gemini CLI's hooks: names of its own, JSON only. Text before a call is ignored; Claude Code's way to refuse is too.

The prompt that a hook sees already holds what hooks have added; a failed command is told by its text alone. A session
that is resumed comes back without the messages in which hooks have spoken first, as after a compaction.
"""

from afterwit.agents.gemini.frame import unframed
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

CARRIES = (START, PROMPT, AFTER)
REFUSES = REWRITES = True
_NATIVE = {
    START: "SessionStart",
    PROMPT: "BeforeAgent",
    BEFORE: "BeforeTool",
    AFTER: "AfterTool",
    COMPACT: "PreCompress",
    END: "SessionEnd",
}
_SOURCES = {"resume": "compact"}
_ADDED = "</hook_context>"


def read(event: str, payload: dict[str, object]) -> Moment | None:
    given = all_text(fields_at(payload, "tool_response").get("llmContent") or payload.get("tool_response"))
    output, code = unframed(given)
    code = number_after(given, "Exit Code:") if code is None else code
    source = text_at(payload, "source")
    return Moment(
        event,
        text_at(payload, "session_id"),
        native=text_at(payload, "hook_event_name") or _NATIVE[event],
        cwd=text_at(payload, "cwd"),
        source=_SOURCES.get(source, source),
        prompt=all_text(payload.get("prompt")).rpartition(_ADDED)[2].strip(),
        tool=text_at(payload, "tool_name"),
        arguments=fields_at(payload, "tool_input"),
        output=output,
        is_error=bool(code) or bool(fields_at(payload, "tool_response").get("error")),
        exit_code=code,
        transcript=text_at(payload, "transcript_path"),
    )


def write(moment: Moment, answer: Answer) -> str:
    if answer.reason:
        return dumps({"decision": "deny", "reason": answer.reason})
    said: dict[str, object] = {"hookEventName": moment.native}
    if answer.arguments is not None:
        said["tool_input"] = answer.arguments
    elif answer.text:
        said["additionalContext"] = answer.text
    notice: dict[str, object] = {"systemMessage": answer.notice} if answer.notice else {}
    return dumps({**notice, "hookSpecificOutput": said}) if len(said) > 1 else ""
