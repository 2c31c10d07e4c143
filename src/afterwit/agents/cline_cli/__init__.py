"""Cline on the command line."""

AGENT = {
    "name": "cline-cli",
    "rank": 130,
    "reader": "cline_cli.reader:ClineCliReader",
    "transcripts": ("sessions/*/*.messages.json", "*/*.messages.json"),
    "homes": (".cline/data",),
    "variables": (
        ("CLINE_SESSION_DATA_DIR",),
        ("CLINE_DATA_DIR",),
        ("CLINE_DIR", "data"),
    ),
    "tools": {"edit": ("editor",)},
    "hooks": {
        "events": {"PreToolUse": "before", "PostToolUse": "after", "PreCompact": "compact", "TaskComplete": "end"},
        "carries": ("after",),
        "refuses": False,
    },
    "connect": {
        "rank": 80,
        "program": "cline",
        "folders": (".cline",),
        "also_named": ("cline",),
    },
}
