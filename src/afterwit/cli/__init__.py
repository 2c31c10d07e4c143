"""The `afterwit` command: parses, calls a function of a room, and shows what it gave. The door is `main.main`.

A command, its function and its module share a name: `sessions cost` is `cli/sessions/cost.py`, which runs
`sessions.cost.cost`. Small commands of one group share a module. Each group has a registry with one line per command,
in its `__init__` (in `main` for those at the top), so that help loads nothing else.
"""
