"""A repository with many files and commits, invented; always the same one. Made with `git fast-import`."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.texts import identifier, path, sentence

_SEED = 11
_BEGIN_S = 1_770_000_000
_FUNCTIONS = 12  # of a file


def make_repository(root: Path, files: int, commits: int) -> list[str]:
    """A checkout at this folder; returns the paths of its files."""
    rng = random.Random(_SEED)
    paths = [f"{path(rng)[:-3]}_{number}.py" for number in range(files)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    feed = b"".join(_stream(rng, paths, commits))
    subprocess.run(["git", "-C", str(root), "fast-import", "--quiet"], input=feed, check=True)
    subprocess.run(["git", "-C", str(root), "checkout", "-q", "-f", "main"], check=True)
    return paths


def text(rng: random.Random) -> str:
    """A file of code."""
    return "\n".join(
        f"def {identifier(rng)}({identifier(rng)}):\n    # {sentence(rng)}\n    return {identifier(rng)}\n"
        for _ in range(_FUNCTIONS)
    )


def _stream(rng: random.Random, paths: list[str], commits: int) -> Iterator[bytes]:
    yield _commit(0, "Begin", {name: text(rng) for name in paths})
    for number in range(1, commits):
        yield _commit(number, sentence(rng), {name: text(rng) for name in rng.sample(paths, rng.randint(1, 4))})


def _commit(number: int, message: str, files: dict[str, str]) -> bytes:
    said = message.encode()
    head = f"commit refs/heads/main\ncommitter A <a@example.org> {_BEGIN_S + number * 600} +0000\ndata {len(said)}\n"
    changes = (f"M 644 inline {name}\ndata {len(body.encode())}\n{body}\n" for name, body in files.items())
    return head.encode() + said + b"\n" + "".join(changes).encode()
