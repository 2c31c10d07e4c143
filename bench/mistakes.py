"""Invented mistakes that agents make again and again, what the machine said, and the command that then worked.

Few kinds with few variants, so that a home of some hundred sessions repeats them as real histories do: tools that are
called without their runner, options in the wrong place, files that lie elsewhere, rules of linters. Harvesters find
something here; the rest of a generated session is noise to them.
"""

import random
from typing import NamedTuple

_NOUNS = ("apple", "barrel", "cellar", "fence", "graft", "hive", "ladder", "pallet", "sorter", "trellis")
_RULES = ("E501 Line too long (131 > 120)", "F401 `os` imported but unused", "B006 Do not use mutable defaults")


class Mistake(NamedTuple):
    command: str
    said: str
    mended: str


def mistake(rng: random.Random) -> Mistake:
    noun, test = rng.choice(_NOUNS), f"tests/test_{rng.choice(_NOUNS)}.py"
    return Mistake(
        *rng.choice(
            (
                (f"pytest {test} -q", "bash: pytest: command not found", f"uv run pytest {test} -q"),
                (
                    f"npm test --filter {noun}",
                    "npm error Unknown cli config '--filter'",
                    f"npm test -- --filter {noun}",
                ),
                (
                    f"cat config/{noun}.toml",
                    f"cat: config/{noun}.toml: No such file or directory",
                    f"cat settings/{noun}.toml",
                ),
                (
                    "git push origin main",
                    "remote: error: GH006: Protected branch update failed for refs/heads/main.",
                    f"git push origin HEAD:{noun}-work",
                ),
                ("make lnit", "make: *** No rule to make target 'lnit'.  Stop.", "make lint"),
                (
                    f"ruff check src/{noun}.py",
                    f"src/{noun}.py:{rng.randint(1, 300)}:1: {rng.choice(_RULES)}",
                    f"ruff check src/{noun}.py --no-cache",
                ),
                (
                    f"python -m mypy src/{noun}.py",
                    f"src/{noun}.py:{rng.randint(1, 300)}: error: Missing return statement  [return]",
                    f"uv run mypy src/{noun}.py",
                ),
                (
                    f"python {test}",
                    f"ModuleNotFoundError: No module named '{noun}'",
                    f"PYTHONPATH=src python {test}",
                ),
                (
                    f"cargo test -p {noun} --quick",
                    "error: unexpected argument '--quick' found",
                    f"cargo test -p {noun}",
                ),
            )
        )
    )
