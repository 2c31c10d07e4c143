"""From files of agents to rows: which files have changed (`plan`), reading them (`derive`, in parallel by `tasks`) and
writing archive and rows (`commit`, `part_rows`).

Doors: `plan.plan`, `tasks.answers` and `commit.Committer`; the conductor is `engine.sweep`.
`checkouts` knows the repositories on this machine: their files, words and tasks.
"""
