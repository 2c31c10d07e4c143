"""Ties agents to Afterwit and unties them, and sets up a regular `learn`.

`plan` says what would change, `apply` does it, `connections` remembers it; `schedule` is for the user's scheduler.
`publishing` writes skills and blocks into files of people, and takes them back.
"""
