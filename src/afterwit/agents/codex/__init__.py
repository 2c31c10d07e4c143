"""Codex, OpenAI's client."""

AGENT = {
    "name": "codex",
    "rank": 20,
    "reader": "codex.reader:reader",
    "transcripts": (
        "sessions/**/rollout-*.jsonl",
        "sessions/**/rollout-*.jsonl.zst",
        "sessions/**/rollout-*.json",
        "archived_sessions/**/rollout-*.jsonl",
        "archived_sessions/**/rollout-*.jsonl.zst",
        "history.jsonl",
    ),
    "homes": (".codex",),
    "variables": (("CODEX_HOME",),),
    "instructions": {
        "in_checkouts": ("AGENTS.md",),
        "in_homes": (".codex/AGENTS.md", ".codex/memories/*.md"),
    },
    "hooks": {
        "events": {
            "SessionStart": "start",
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostToolUse": "after",  # failed commands too
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "retention": {"days": None},
    "connect": {
        "rank": 20,
        "plugin": "codex.install:plugin",
        "program": "codex",
        "folders": (".codex",),
    },
}
