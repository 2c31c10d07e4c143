"""Goose."""

AGENT = {
    "name": "goose",
    "rank": 160,
    "reader": "goose.reader:GooseReader",
    "gatherers": "goose.reader:gatherers",
    "transcripts": ("sessions/sessions.db/*.jsonl", "sessions/*.jsonl"),
    "homes": (".local/share/goose",),
    "windows_homes": ("AppData/Roaming/Block/goose/data",),
    "variables": (("GOOSE_PATH_ROOT", "data"), ("XDG_DATA_HOME", "goose")),
    "tools": {"search": ("tree",), "shell": ("automation_script",)},
}
