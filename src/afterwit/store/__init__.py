"""Everything that Afterwit keeps: the database (SQL stands in `rows` and nowhere else), the archive of originals, the
journal of decisions, and the spool of hooks.

Doors: `store.store.open_store` to write, `readonly_database` to look, `hold_lease` around every run that writes. What
cannot be derived again goes through `decide`. Files of any kind are written by `atomic` and opened by `regular_files`.
Hooks import `spool_file`: nothing here.
"""
