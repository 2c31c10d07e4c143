"""Cursor's command line, and the agent transcripts that the editor writes too."""

AGENT = {
    "name": "cursor-cli",
    "rank": 100,
    "reader": "cursor_cli.reader:CursorTranscriptReader",
    "transcripts": (
        "chats/*/*/store.db",
        "projects/*/agent-transcripts/**/*.jsonl",
        "projects/*/agent-transcripts/*.txt",
    ),
    "homes": (".cursor",),
    "variables": (("CURSOR_CONFIG_DIR",),),
    "tools": {"edit": ("delete",)},
}
