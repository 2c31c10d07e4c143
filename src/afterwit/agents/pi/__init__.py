"""pi."""

AGENT = {
    "name": "pi",
    "rank": 170,
    "reader": "pi.reader:PiReader",
    "transcripts": ("sessions/*/*.jsonl",),
    "homes": (".pi/agent",),
    "variables": (("PI_CODING_AGENT_DIR",),),
    "instructions": {
        "in_checkouts": ("AGENTS.md",),
        "in_homes": (".pi/agent/AGENTS.md",),
    },
    "hooks": {
        "events": {
            "session_start": "start",
            "before_agent_start": "prompt",
            "tool_call": "before",
            "tool_result": "after",
            "session_shutdown": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "connect": {
        "rank": 110,
        "program": "pi",
        "folders": (".pi/agent",),
    },
}
