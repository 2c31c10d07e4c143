"""Amp."""

AGENT = {
    "name": "amp",
    "rank": 200,
    "reader": "amp.reader:AmpReader",
    "transcripts": ("threads/T-*.json",),
    "homes": (".local/share/amp",),
    "variables": (("XDG_DATA_HOME", "amp"),),
    "tools": {"read": ("look_at",), "delegate": ("handoff", "oracle", "librarian")},
}
