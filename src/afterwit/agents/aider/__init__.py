"""aider."""

AGENT = {
    "name": "aider",
    "rank": 150,
    "reader": "aider.reader:AiderReader",
    "transcripts": ("**/.aider.chat.history.md",),
    "tools": {"shell": ("run",)},
    "instructions": {"in_checkouts": ("CONVENTIONS.md",)},
    "connect": {"rank": 120, "program": "aider", "folders": (".aider.conf.yml", ".aider")},
}
