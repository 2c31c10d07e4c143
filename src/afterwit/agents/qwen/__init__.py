"""Qwen Code, a relative of Gemini CLI."""

AGENT = {
    "name": "qwen",
    "rank": 70,
    "reader": "qwen.reader:QwenReader",
    "transcripts": ("projects/*/chats/*.jsonl", "projects/*/subagents/*/agent-*.jsonl", "tmp/*/chats/*.json"),
    "homes": (".qwen",),
    "variables": (
        ("QWEN_RUNTIME_DIR",),
        ("QWEN_HOME",),
    ),
    "tools": {"mcp": ("tool_call",)},
    "instructions": {
        "in_checkouts": ("QWEN.md",),
        "in_homes": (".qwen/QWEN.md",),
    },
    "hooks": {
        "events": {
            "SessionStart": "start",
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostToolUse": "after",
            "PostToolUseFailure": "after",
            "Stop": "end",
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
        "rewrites": False,
    },
    "connect": {
        "rank": 40,
        "program": "qwen",
        "folders": (".qwen",),
    },
}
