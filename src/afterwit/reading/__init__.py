"""A model reads sessions, and code checks every word of its answers: `read` asks and takes in, `plan` says what it
would cost.

Nothing is sent unless its owner chose a model. The rest is pure: `lines` makes numbered lines of a session, `requests`
parts them, `answers` understands what comes back, `checks` convicts, `drafts` makes drafts of what is left.
"""
