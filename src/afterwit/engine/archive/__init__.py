"""Looking after what is archived: rebuilding the database from it, checking it, and keeping it within its budget.

Doors: `rebuild.rebuild`, `upkeep.verify`, `evict.evict` and, at the end of every `learn`, `evict.keep_within_budget`;
`delete.delete` for sessions. The format of the archive itself is in `store.archive`.
"""
