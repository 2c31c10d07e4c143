"""Reads plain JSON lines by a description in TOML: of a user's own logs, or of an agent that needs no code.

Doors: `parsing` makes a description of a text, `reader` reads by it; one can also be made of words on a command line.
"""
