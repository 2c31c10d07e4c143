"""Kimi CLI."""

AGENT = {
    "name": "kimi",
    "rank": 270,
    "reader": "kimi.reader:KimiReader",
    "transcripts": (
        "sessions/*/*/wire.jsonl",
        "sessions/*/*/context*.jsonl",
        "sessions/*/*/subagents/*/*.jsonl",
        "sessions/*/*.jsonl",
    ),
    "homes": (".kimi",),
    "variables": (("KIMI_SHARE_DIR",),),
}
