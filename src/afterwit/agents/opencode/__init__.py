"""OpenCode."""

AGENT = {
    "name": "opencode",
    "rank": 80,
    "reader": "opencode.reader:OpenCodeReader",
    "gatherers": "opencode.reader:gatherers",
    "transcripts": ("*.db/*.jsonl", "storage/*.jsonl", "exports/*.json"),
    "homes": (".local/share/opencode",),
    "variables": (("XDG_DATA_HOME", "opencode"),),
    "instructions": {
        "in_checkouts": ("AGENTS.md",),
        "in_homes": (".config/opencode/AGENTS.md",),
    },
    "hooks": {
        "events": {
            "chat.message": "prompt",
            "session.compacted": "start",
            "tool.execute.before": "before",
            "tool.execute.after": "after",
            "session.idle": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "connect": {
        "rank": 90,
        "program": "opencode",
        "folders": (".config/opencode",),
    },
}
