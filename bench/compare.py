"""Says what got slower or larger since the run of a table that was kept last, and what got faster or smaller.

    python -m bench.compare [TABLE …] [--tolerance 0.1] [--fail]

The last run on this machine stands against the newest one that was kept before it; where nothing was measured since,
the two that were kept last stand against each other. Seconds differ from machine to machine, so only what was measured
against something in the same run is compared: ratios to a floor, to a peer, to the input, to a smaller home. Memory is
compared as it is. Of floors and peers themselves nothing is said. It informs and ends well; with `--fail` it ends with
1 where something got worse.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from bench import results
from bench.results import KeptRun

TOLERANCE = 0.1
_COMPARED = re.compile(r"of_\w+|\w+_of_\w+|ratio|growth|peak_mb")  # less is better in all of them
_BESIDE = "beside"  # under this name a table has floors and peers


class Change(NamedTuple):
    """A figure in two runs."""

    figure: str
    before: float
    now: float

    @property
    def by(self) -> float:
        """How much more it is, as a share of what it was."""
        return self.now / self.before - 1


class Comparison(NamedTuple):
    compared: int
    worse: list[Change]  # the worst first
    better: list[Change]  # the best first


def pair(name: str) -> tuple[KeptRun, KeptRun] | None:
    """What a table is compared with, and the run that is compared; None where there is no second one."""
    kept = results.history(name)
    runs = [*kept[-1:], *filter(None, [results.last(name)])]
    if not runs:
        return None
    now = max(runs, key=lambda run: run.date)
    earlier = [run for run in kept if run.date < now.date]
    return (earlier[-1], now) if earlier else None


def compare(before: Any, now: Any, tolerance: float = TOLERANCE) -> Comparison:
    """Compares the figures that both have."""
    old = dict(figures(before))
    changes = [Change(name, old[name], value) for name, value in figures(now) if old.get(name)]
    worse = sorted((change for change in changes if change.by > tolerance), key=lambda change: -change.by)
    better = sorted((change for change in changes if change.by < -tolerance), key=lambda change: change.by)
    return Comparison(len(changes), worse, better)


def figures(value: Any, where: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    """The figures that can be compared, by name. Rows are told apart by their first cell."""
    if isinstance(value, list):
        for row in value:
            yield from figures(row, (*where, str(next(iter(row.values())))))
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, int | float) and _COMPARED.fullmatch(name):
                yield ": ".join((*where, name)), float(part)
            elif name != _BESIDE:
                yield from figures(part, where)


def show(name: str, tolerance: float) -> bool:
    """Prints how a table changed; whether something got worse."""
    runs = pair(name)
    if runs is None:
        print(f"== {name}: no two runs to compare")
        return False
    before, now = runs
    found = compare(before.figures, now.figures, tolerance)
    print(f"== {name}: {_title(now)}, against {_title(before)}")
    if any(before.machine.get(name, value) != value for name, value in now.machine.items()):
        print("measured on different kinds of machines, or with another Python")
    for title, changes in (("slower or larger", found.worse), ("faster or smaller", found.better)):
        if changes:
            print(title)
        for change in changes:
            print(f"  {change.by:+7.0%}  {change.before:9.4g} → {change.now:<9.4g}  {change.figure}")
    print(f"{found.compared} figures in both runs, {len(found.worse)} worse by more than {tolerance:.0%}")
    return bool(found.worse)


def _title(run: KeptRun) -> str:
    return f"{run.date} at {run.commit}{' with changes' if run.is_dirty else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="default: all that have a history")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="SHARE")
    parser.add_argument("--fail", action="store_true", help="end with 1 where something got worse")
    options = parser.parse_args()
    is_worse = [show(name, options.tolerance) for name in options.tables or results.tables()]
    sys.exit(int(options.fail and any(is_worse)))


if __name__ == "__main__":
    main()
