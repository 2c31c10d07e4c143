"""How fast a search answers, beside `rg` over the raw files, in one run.

    python -m bench.search HOME [--store FOLDER]

Learns the home if the store does not exist yet. Each query is asked of one `Searcher`, as in a program that stays; the
first answer of a process, which also builds the redactor, and the whole command stand on lines of their own. `rg` runs
as its users run it: one process over all files, counting the lines that hold the words.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Options
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import Searcher, open_searcher
from bench.worlds import Silent, world_of

QUERIES = (
    "permission denied",
    '"command not found"',
    "migration",
    "refactor tests",
    "timeout",
    "deprecat*",
    '"no such file or directory"',
    "lint error",
    "authentication token",
    "error",
    "test*",
    '"traceback most recent call last"',
    "zyzzyva",
)
FIRST = "error"
ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = world_of(options.home.absolute(), options.store or Path(folder) / "store")
        if not world.layout.exists():
            sweep(world, Options(), Silent())
        report(world, options.home.absolute())


def report(world: World, home: Path) -> None:
    print(f"{'whole command':<28}{seconds(lambda: command(world), ROUNDS) * 1000:8.1f} ms")
    with open_searcher(world) as searcher:
        first = seconds(lambda: searcher.best_hits(FIRST, Filter(), "", 10, 160), 1)
        print(f"{'first answer of a process':<28}{first * 1000:8.1f} ms")
        peer = shutil.which("rg")
        ratios = [compared(searcher, query, peer, home) for query in QUERIES]
    if peer:
        print(f"ratio: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}")


def compared(searcher: Searcher, query: str, peer: str | None, home: Path) -> float:
    """Prints the line of a query; our time as a share of the peer's."""
    answer = searcher.best_hits(query, Filter(), "", 10, 160)
    ours = seconds(lambda: searcher.best_hits(query, Filter(), "", 10, 160), ROUNDS)
    line = f"{query:<28}{ours * 1000:8.1f} ms  {answer.total:>6} places"
    if peer is None:
        print(line)
        return 0.0
    theirs = seconds(lambda: ripgrep(peer, query, home), ROUNDS)
    print(f"{line}   rg {theirs * 1000:8.1f} ms   ratio {ours / theirs:.2f}")
    return ours / theirs


def command(world: World) -> None:
    arguments = [sys.executable, "-m", "afterwit", "sessions", "search", FIRST]
    subprocess.run(arguments, stdout=subprocess.DEVNULL, env={**os.environ, **world.environ}, check=True)


def ripgrep(peer: str, query: str, home: Path) -> None:
    pattern = query.strip('"*').replace(" ", ".*") if '"' not in query else query.strip('"')
    folders = [
        str(path) for name in (".claude", ".codex", ".copilot", ".gemini", ".hermes") if (path := home / name).exists()
    ]
    subprocess.run(
        [peer, "-i", "-c", "-e", pattern, *folders], stdout=subprocess.DEVNULL, env=dict(os.environ), check=False
    )


def seconds(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
