"""A model reads sessions, and code checks every word of its answers.

Doors: `plan` (what waits, and what it would cost), `read` (asks, and takes answers in), `ledger` (caps) and
`session_texts` (sessions from the archive). The rest is pure: `lines` makes numbered lines of a session, `requests`
parts them, `answers` understands what comes back, `checks` convicts, `drafts` makes drafts of what is left. Nothing is
sent from here: `ways` has the forms in which people hand requests to a model.
"""
