"""A model reads sessions, and code checks every word of its answers.

Doors: `plan` (what waits, and what it would cost), `calling` (calls a model), `read` (writes requests for files, and
takes answers in), `check_again` (judges kept answers anew), `ledger` (caps) and `session_texts` (sessions from the
archive). The rest is pure: `lines` makes numbered lines of a session, `requests`
parts them, `answers` understands what comes back, `checks` convicts, `drafts` makes drafts of what is left. `ways` lead
to a model: nothing is sent but to one that somebody named.
"""
