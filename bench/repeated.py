"""How well the rule tells that a user's turn says a told line again: precision and recall on labelled pairs.

    python -m bench.repeated PAIRS

Each row of the file is a JSON object with `line`, `turn` and `label`: true (or "yes") where the turn says again what
the line says. The function is the one that `learn` asks. What it gets wrong is listed, as far as `--show` allows.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.knowledge.repetitions import repetition


class LabelledPair(NamedTuple):
    line: str
    turn: str
    is_repeated: bool


class RuleFigures(NamedTuple):
    pairs: int
    found: int
    right: int
    there: int

    @property
    def precision(self) -> float | None:
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        return self.right / self.there if self.there else None


def pairs_in(path: Path) -> list[LabelledPair]:
    rows = (json.loads(row) for row in path.read_text("utf-8").splitlines() if row.strip())
    return [LabelledPair(row["line"], row["turn"], row["label"] in (True, 1, "yes", "true")) for row in rows]


def measure(pairs: Sequence[LabelledPair]) -> RuleFigures:
    found = [pair for pair in pairs if repetition(pair.line, pair.turn)]
    right = sum(pair.is_repeated for pair in found)
    return RuleFigures(len(pairs), len(found), right, sum(pair.is_repeated for pair in pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="list N pairs that it gets wrong")
    asked = parser.parse_args()
    pairs = pairs_in(asked.pairs)
    figures = measure(pairs)
    wrong = [pair for pair in pairs if bool(repetition(pair.line, pair.turn)) is not pair.is_repeated]
    for pair in wrong[: asked.show]:
        print(f"{'missed' if pair.is_repeated else 'wrong '}  {pair.line}\n        {pair.turn!r}")
    print(f"{figures.pairs} pairs, {figures.there} repetitions; found {figures.found}, {figures.right} of them right")
    for name, share in (("precision", figures.precision), ("recall", figures.recall)):
        print(f"{name:9}  {'nothing to count' if share is None else f'{share:.2f}'}")


if __name__ == "__main__":
    main()
