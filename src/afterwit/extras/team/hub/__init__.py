"""A hub: a PostgreSQL server through which teams exchange lines of notes, and nothing that they did not share.

`address` says where it is and how the way there is protected, `connection` connects and checks who one is, `rows` holds
its SQL and `migrations` its tables. `sync` pulls and pushes, with what `digests` adds where
a member wants that. Commands besides: `owner` (init, members), `look` (status, search).
"""
