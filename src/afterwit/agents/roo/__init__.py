"""Roo Code, a relative of Cline, whose reader reads it."""

AGENT = {
    "name": "roo",
    "rank": 140,
    "reader": "cline.reader:roo",
    "transcripts": ("tasks/*/api_conversation_history.json",),
    "extension": "rooveterinaryinc.roo-cline",
}
