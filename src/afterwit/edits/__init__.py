"""Changes of files that belong to other programs: text in, text out, and back again. Pure.

`edits` says what an edit is; the others are edits of JSON, TOML, YAML and plain text, and what of them is ours.
"""
