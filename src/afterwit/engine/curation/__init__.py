"""What people and agents do with items: decide, add, edit, forget, audit, export and import, record lessons, undo.

Each module is a door: `curate`, `review`, `files`, `undo`, `why`. Every decision is an entry of the journal.
"""
