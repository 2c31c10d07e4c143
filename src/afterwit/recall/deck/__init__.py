"""The deck: one small read-only file with all that hooks may say.

`compile` fills it from the store and `write` writes it; hooks read it with `reader`, `location` and `first_prompt`,
which load nothing slow. The tables are in `deck.sql` and `prompt_tables.sql`.
"""
