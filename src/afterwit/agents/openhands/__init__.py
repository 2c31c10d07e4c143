"""OpenHands."""

AGENT = {
    "name": "openhands",
    "rank": 230,
    "reader": "openhands.reader:OpenHandsReader",
    "gatherers": "openhands.reader:gatherers",
    "transcripts": ("**/sessions/*.jsonl", "**/conversations/*.jsonl", "**/output.jsonl"),
    "homes": (".openhands",),
    "tools": {"shell": ("run",)},
    "instructions": {
        "in_checkouts": (".openhands/microagents/*.md",),
    },
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
    "connect": {
        "rank": 70,
        "program": "openhands",
        "folders": (".openhands",),
    },
}
