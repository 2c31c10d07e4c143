"""Grok CLI, the community's client (superagent-ai)."""

AGENT = {
    "name": "grok-cli",
    "rank": 40,
    "reader": "grok_cli.reader:GrokCliReader",
    "gatherers": "grok_cli.reader:gatherers",
    "transcripts": ("grok.db/*.jsonl", "conversations.db"),
    "homes": (".grok",),
    "connect": {"rank": 130, "program": "grok", "folders": (".grok",), "scope": "project"},
}
