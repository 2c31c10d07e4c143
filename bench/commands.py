"""Invented command lines, such as agents type: chains, pipes that hide exits, redirections, here-documents.

`work` can fail with an exit code of its own; `look` is what is typed to look around.
"""

import random

from bench.texts import identifier, path
from bench.words import NOUNS

_PIPES = (" 2>&1 | tail -40", " 2>&1 | tail -20", " | head -60", " 2>&1 | grep -E 'passed|failed' | tail -5")


def work(rng: random.Random) -> str:
    noun, file = rng.choice(NOUNS), path(rng)
    return rng.choice(
        (
            f"python -m pytest tests/test_{noun}.py -q -k {identifier(rng)}",
            f"npm run test -- --filter {noun}",
            f"go test ./internal/{noun}/... -run Test{noun.title()} -count=1",
            f"cargo build --release -p {noun}",
            f"make {rng.choice(('test', 'lint', 'build'))}",
            "npx tsc --noEmit -p tsconfig.json",
            f"ruff check {file} --fix",
            f"git push origin HEAD:{noun}-{rng.randint(1, 99)}",
            f"uv run mypy {file}",
        )
    )


def look(rng: random.Random) -> str:
    noun, file = rng.choice(NOUNS), path(rng)
    return rng.choice(
        (
            f"git status --short && git diff --stat HEAD~{rng.randint(1, 5)}",
            f'grep -rn "{identifier(rng)}" --include="*.py" {file.rpartition("/")[0]}',
            f"sed -n '{rng.randint(1, 200)},{rng.randint(201, 400)}p' {file}",
            f"ls -la {file.rpartition('/')[0]} && wc -l {file}",
            f"cat {file}",
            f'rg -n "{noun}|{rng.choice(NOUNS)}" {file.partition("/")[0]}',
            f"git log --oneline -{rng.randint(3, 30)} -- {file}",
            f"find . -name '*{noun}*' -not -path './node_modules/*'",
            f"jq -r '.{noun}[] | .id' {file}",
        )
    )


def piped(rng: random.Random) -> str:
    """Work whose exit a pipe hides."""
    return work(rng) + rng.choice(_PIPES)


def chain(rng: random.Random, first: str, size: int) -> str:
    """The command with others after it, at most so long."""
    command = first
    while len(command) < size - 90:
        command += rng.choice((" && ", " && ", "; ")) + look(rng)
    return command
