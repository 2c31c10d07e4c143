"""Ties agents to Afterwit and unties them, and sets up a regular `learn`.

`plan` says what would change and does it, `connections` remembers it; `schedule` is for the user's scheduler.
`foreign_files` looks at files of others and replaces them whole.
"""
