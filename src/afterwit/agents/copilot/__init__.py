"""Copilot CLI, GitHub's client."""

AGENT = {
    "name": "copilot",
    "rank": 110,
    "reader": "copilot.reader:CopilotReader",
    "transcripts": ("session-state/*/events.jsonl", "history-session-state/*.json"),
    "homes": (".copilot",),
    "variables": (("COPILOT_HOME",),),
    "tools": {"delegate": ("task",)},
    "instructions": {
        "in_checkouts": (".github/copilot-instructions.md",),
        "in_homes": (".copilot/copilot-instructions.md",),
    },
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
    "connect": {
        "rank": 50,
        "program": "copilot",
        "folders": (".copilot",),
    },
}
