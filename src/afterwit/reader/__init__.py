"""A model reads sessions, and code checks every word of its answers.

Doors: `plan` (what would be asked, and what it would cost) and `waiting` (what waits), `calling` (calls a model),
`read` (writes requests for files, and takes answers in), `taking` (checks and journals each answer), `check_again`
(judges kept answers anew), `ledger` (caps) and `session_texts` (sessions from the archive). The rest is pure: `lines`
makes numbered lines of a session, `requests` parts them, `answers` understands what comes back, `checks` convicts,
`drafts` makes drafts of what is left; `consolidating` asks about notes, `note_groups` says which stand together,
`note_claims` convicts. `ways` lead to a model: nothing is sent but to one that somebody named.
"""
