"""Gemini CLI, Google's client."""

AGENT = {
    "name": "gemini",
    "rank": 60,
    "reader": "gemini.reader:GeminiReader",
    "transcripts": ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl", "tmp/*/chats/*/*.jsonl"),
    "homes": (".gemini",),
    "variables": (("GEMINI_CLI_HOME", ".gemini"),),
    "instructions": {
        "in_checkouts": ("GEMINI.md",),
        "in_homes": (".gemini/GEMINI.md",),
    },
    "hooks": {
        "events": {
            "SessionStart": "start",
            "BeforeAgent": "prompt",
            "BeforeTool": "before",
            "AfterTool": "after",
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "retention": {
        "days": 30,
        "folder": "tmp",
        "settings": "settings.json",
        "configured": "gemini.install:keeping",
    },
    "reserved": {"added": ("wait_for_previous",)},
    "connect": {
        "rank": 30,
        "plugin": "gemini.install:plugin",
        "program": "gemini",
        "folders": (".gemini",),
    },
}
