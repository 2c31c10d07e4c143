"""Roo Code, a relative of Cline, whose reader reads it."""

AGENT = {
    "name": "roo",
    "rank": 140,
    "reader": "cline.reader:ClineReader",
    "transcripts": ("tasks/*/api_conversation_history.json",),
    "extension": "rooveterinaryinc.roo-cline",
    "own_tools": ("execute_command", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
}
