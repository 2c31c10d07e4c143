"""`make bench`: measures every table that exists on one generated home, prints them and writes `bench/results/`.

Run as `python -m bench [--sessions N] [--home FOLDER] [--full]`.
"""

import argparse
import tempfile
from pathlib import Path

from bench import hook, learn, mcp, memory, peers, redaction
from bench.homes import write_home
from bench.results import report


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints the tables of figures.")
    parser.add_argument("--sessions", type=int, default=learn.DEFAULT_SESSIONS)
    parser.add_argument("--home", type=Path, help="measure this home instead of a generated one")
    parser.add_argument("--full", action="store_true", help="also 2,000 and 21,000 sessions: an hour, 8 GB on disk")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        home = arguments.home or Path(folder, "home")
        if arguments.home is None:
            write_home(home, arguments.sessions)
        report("redaction", redaction.measure(home).summary())
        report("learn", learn.table(home=home))
        report("memory", memory.table())
        report("hook", hook.table())
        report("mcp", mcp.table())
        if arguments.home is None:  # a peer may write into the home
            report("peers", peers.table(home, Path(folder)))
    if arguments.full:
        report("learn-full", learn.table(full=True))


if __name__ == "__main__":
    main()
