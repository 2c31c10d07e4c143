"""What was captured, as people look at it: `list`, `show`, `search`, `cost`, `export`, `restore`, `pin`, and names.

`list.Session` is the one shape of a session that commands show; each view selects fields from it. `filters` says which
sessions a command is about. Texts come from the archive through `originals`, and leave this room redacted.
"""
