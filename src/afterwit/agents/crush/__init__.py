"""Crush."""

AGENT = {
    "name": "crush",
    "rank": 220,
    "reader": "crush.reader:CrushReader",
    "gatherers": "crush.reader:gatherers",
    "transcripts": ("**/crush.db/*.jsonl",),
    "own_tools": ("bash", "edit", "multiedit", "write", "view", "ls", "fetch", "download"),
}
