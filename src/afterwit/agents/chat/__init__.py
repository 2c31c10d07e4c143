"""Logs of plain chat messages, in folders given by hand."""

AGENT = {
    "name": "chat",
    "rank": 300,
    "reader": "chat.reader:ChatReader",
    "transcripts": ("**/*.jsonl",),
}
