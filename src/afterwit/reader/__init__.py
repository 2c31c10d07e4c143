"""A model reads sessions, and code checks every word of its answers.

Doors: `plan` (what waits, what would be asked, and what it would cost), `calling` (calls a model), `read` (writes
requests for files, takes answers in, and judges kept ones anew), `intake` (checks and journals each answer), `ledger`
(caps) and `requests` (sessions from the archive, as they are sent). The rest is pure: `lines` makes numbered lines of a
session, `answers` understands what comes back, `checks` convicts by what `support` finds in the lines; `compiling` asks
for the brief of a repository, `line_checks` convicts. `ways` lead to a model: nothing is sent but to one that somebody
named.
"""
