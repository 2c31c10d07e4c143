"""Cursor, the editor."""

AGENT = {
    "name": "cursor",
    "rank": 90,
    "reader": "cursor.reader:CursorReader",
    "gatherers": "cursor.reader:gatherers",
    "transcripts": ("state.vscdb/*.jsonl",),
    "homes": (".config/Cursor/User/globalStorage",),
    "mac_homes": ("Library/Application Support/Cursor/User/globalStorage",),
    "windows_homes": ("AppData/Roaming/Cursor/User/globalStorage",),
    "own_tools": ("run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"),
    "instructions": {"in_checkouts": (".cursorrules", ".cursor/rules/*.mdc")},
    "connect": {"rank": 140, "program": "cursor", "folders": (".cursor",), "scope": "project"},
}
