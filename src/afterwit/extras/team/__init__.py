"""Knowledge that travels: notes that people approved, in files that git carries from one checkout to the next.

`records` says what a shared note is and what follows from the lines of all who had a say in it, `folder` reads and
writes the files, `outgoing` and `pull` decide what leaves and what comes in, `git_commands` asks git. Commands:
`place.init`, `push`, `pull`, and `look` for what there is. `hub` carries the same lines through a PostgreSQL server.
"""
