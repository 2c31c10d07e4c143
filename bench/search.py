"""How fast a search answers, beside `rg` over the raw files, in one run.

    python -m bench.search HOME [--store FOLDER]

Learns the home if the store does not exist yet. Each query is asked in one process, as a person's second query would
be; the first answer of a process, which also builds the redactor, stands on a line of its own. `rg` runs as its users
run it: one process over all files, counting the lines that hold the words.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from afterwit.store.layout import Layout
from afterwit.usecases.configure import load
from afterwit.usecases.filters import Filter
from afterwit.usecases.learn import Options, learn
from afterwit.usecases.search import find
from afterwit.usecases.world import World

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
    "zyzzyva",
)
ROUNDS = 5


class Silent:
    def begin(self, files: int, total_bytes: int) -> None: ...

    def advance(self, files: int, done_bytes: int) -> None: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = world_of(options.home.absolute(), options.store or Path(folder) / "store")
        if not world.layout.exists():
            learn(world, Options(), Silent())
        report(world, options.home.absolute())


def world_of(home: Path, store: Path) -> World:
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store)}
    settings = load(environ, sys.platform).settings
    return World(Layout(store), settings, home, environ, time.time_ns() // 1_000_000)


def report(world: World, home: Path) -> None:
    first = seconds(lambda: find(world, "warming up", Filter(), "", 10, 160), 1)
    print(f"first answer of a process   {first * 1000:8.1f} ms")
    peer = shutil.which("rg")
    for query in QUERIES:
        total = find(world, query, Filter(), "", 10, 160).total
        ours = seconds(lambda query=query: find(world, query, Filter(), "", 10, 160), ROUNDS)
        line = f"{query:<28}{ours * 1000:8.1f} ms  {total:>6} places"
        if peer:
            theirs = seconds(lambda query=query: ripgrep(peer, query, home), ROUNDS)
            line += f"   rg {theirs * 1000:8.1f} ms   ratio {ours / theirs:.2f}"
        print(line)


def ripgrep(peer: str, query: str, home: Path) -> None:
    pattern = query.strip('"*').replace(" ", ".*") if '"' not in query else query.strip('"')
    folders = [str(path) for name in (".claude", ".codex", ".hermes") if (path := home / name).exists()]
    subprocess.run(
        [peer, "-i", "-c", "-e", pattern, *folders], stdout=subprocess.DEVNULL, env=dict(os.environ), check=False
    )


def seconds(work: object, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
