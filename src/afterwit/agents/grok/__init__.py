"""Grok, xAI's client."""

AGENT = {
    "name": "grok",
    "rank": 30,
    "reader": "grok.reader:GrokReader",
    "transcripts": ("sessions/*/*/updates.jsonl", "sessions/*/*/subagents/*/updates.jsonl"),
    "homes": (".grok",),
    "variables": (("GROK_HOME",),),
    "tools": {"shell": ("execute",), "mcp": ("use_tool",)},
}
