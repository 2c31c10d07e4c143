"""From files of agents to rows: which files have changed (`plan`), reading them (`derive`, in parallel by `tasks`) and
writing archive and rows (`commit`).

Doors: `plan.plan`, `tasks.answers` and `commit.Committer`; the conductor is `engine.learn`. `checkouts`, `missing` and
`tree_index` know the repositories on this machine: their files, words and tasks. Git is asked through `sources`, which
only reads. What is foreign stays foreign: names and words, never instructions.
"""
