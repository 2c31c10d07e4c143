"""Cline, the extension for editors."""

AGENT = {
    "name": "cline",
    "rank": 120,
    "reader": "cline.reader:ClineReader",
    "transcripts": ("tasks/*/api_conversation_history.json",),
    "extension": "saoudrizwan.claude-dev",
    "instructions": {"in_checkouts": (".clinerules",)},
}
