"""OpenClaw, which writes pi's entries."""

AGENT = {
    "name": "openclaw",
    "rank": 180,
    "reader": "pi.reader:OpenClawReader",
    "transcripts": ("agents/*/sessions/*.jsonl",),
    "homes": (".openclaw",),
    "variables": (("OPENCLAW_STATE_DIR",),),
    "tools": {"shell": ("process",)},
}
