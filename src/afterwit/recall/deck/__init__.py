"""The deck: small read-only files with all that hooks may say, one for each repository and one that names them.

`compile` fills them from the store, `write` writes them and says what of those that are there can be used again.
Hooks read them with `reader`, `location` and `first_prompt`, which load nothing slow. The tables are in
`deck.sql`, `part.sql` and `lines.sql`.
"""
