"""Which repository a session belongs to, by what logs, folders and git configurations say. Pure: a path is text here.

Door: `identity.resolve`; `remotes.canonical_remote` for one remote, `folders.root_of` for one folder.
"""
