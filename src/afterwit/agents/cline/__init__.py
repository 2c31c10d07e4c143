"""Cline, the extension for editors."""

AGENT = {
    "name": "cline",
    "rank": 120,
    "reader": "cline.reader:ClineReader",
    "transcripts": ("tasks/*/api_conversation_history.json",),
    "extension": "saoudrizwan.claude-dev",
    "own_tools": ("execute_command", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
    "instructions": {"in_checkouts": (".clinerules",)},
}
