"""`make bench`: measures every table that needs nothing but this repository, and prints them.

Run as `python -m bench [--keep]`, with the options of `bench.growth`. Tables of one home are measured on the smallest.
"""

from bench import growth, hook, learn, mcp, memory, mining, redaction
from bench.results import command_line, report


def main() -> None:
    asked = growth.options(command_line(__doc__))
    with growth.homes_of(asked) as homes, growth.peers_of(asked) as peers:
        report("redaction", redaction.measure(homes[0]).summary(), keep=asked.keep)
        report("learn", learn.table(homes[0]), keep=asked.keep)
        report("memory", memory.table(), keep=asked.keep)
        report("mining", mining.table(), keep=asked.keep)
        report("hook", hook.table(), keep=asked.keep)
        report("mcp", mcp.table(), keep=asked.keep)
        report("growth", growth.table(homes, peers, asked.rounds), keep=asked.keep)


if __name__ == "__main__":
    main()
