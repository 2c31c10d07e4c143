"""Kimi Code, the successor of Kimi CLI."""

AGENT = {
    "name": "kimi-code",
    "rank": 280,
    "reader": "kimi_code.reader:KimiCodeReader",
    "transcripts": ("sessions/*/*/agents/*/wire.jsonl",),
    "homes": (".kimi-code",),
    "variables": (("KIMI_CODE_HOME",),),
    "hooks": {
        "events": {
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostCompact": "compact",
            "Stop": "end",
            "SessionEnd": "end",
        },
        "carries": ("prompt",),
        "rewrites": False,
    },
    "connect": {
        "rank": 60,
        "program": "kimi",
        "folders": (".kimi-code",),
        "also_named": ("kimi",),
    },
}
