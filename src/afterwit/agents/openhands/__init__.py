"""OpenHands.

Its hooks: text reaches the model only at a prompt, as a top-level key.

Hooks get the id of the conversation as a UUID; its folder is named by the same digits without hyphens.
"""

from afterwit.agents.hook_payloads import Answer, Moment, all_text, fields_at, text_at
from afterwit.model.quick_json import dumps

AGENT = {
    "name": "openhands",
    "rank": 230,
    "reader": "openhands.reader:OpenHandsReader",
    "gatherers": "openhands.reader:gatherers",
    "transcripts": ("**/sessions/*.jsonl", "**/conversations/*.jsonl", "**/output.jsonl"),
    "homes": (".openhands",),
    "tools": {"shell": ("run",)},
    "instructions": {"in_checkouts": (".openhands/microagents/*.md",)},
    "hooks": {
        "events": {"UserPromptSubmit": "prompt", "PreToolUse": "before", "SessionEnd": "end"},
        "carries": ("prompt",),
        "rewrites": False,
    },
    "reserved": {
        "added": ("security_risk", "summary"),
        "taken": (
            *("construct", "copy", "dict", "from_mcp_schema", "from_orm", "get_serializable_type", "json", "kind"),
            *("parse_file", "parse_obj", "parse_raw", "resolve_kind", "schema", "schema_json", "to_mcp_schema"),
            *("update_forward_refs", "validate"),
        ),
        "beginnings": ("_", "model_"),
    },
    "connect": {"rank": 70, "program": "openhands", "folders": (".openhands",)},
}
_UUID_LENGTH = 36


def read(event: str, payload: dict[str, object]) -> Moment | None:
    response = fields_at(payload, "tool_response")
    code = response.get("exit_code")
    return Moment(
        event,
        _folder_name(text_at(payload, "session_id")),
        native=text_at(payload, "event_type"),
        cwd=text_at(payload, "working_dir", "cwd"),
        prompt=all_text(payload.get("message")),
        tool=text_at(payload, "tool_name"),
        arguments=fields_at(payload, "tool_input"),
        output=all_text(response.get("content")),
        is_error=response.get("is_error") is True or bool(code),
        exit_code=code if isinstance(code, int) else None,
    )


def _folder_name(conversation: str) -> str:
    return conversation.replace("-", "") if len(conversation) == _UUID_LENGTH else conversation


def write(moment: Moment, answer: Answer) -> str:  # noqa: ARG001 - every agent's has it
    if answer.reason:
        return dumps({"decision": "deny", "reason": answer.reason})
    return dumps({"additionalContext": answer.text}) if answer.text else ""
