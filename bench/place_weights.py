"""Whether the weights of places carry over: chosen on all repositories but one, and tried on that one.

    AFTERWIT_JUDGE=judge.py AFTERWIT_CORPUS=HOME:HOME python -m bench.place_weights --checkout NAME=FOLDER …

Nothing of the shipped weights is used: each choice begins with the same round ones and keeps, feature by feature, what
names more of the files (none of it, half, twice), until nothing does. What is named more is counted by session, of no
repository more than thirty. Cases are those of the examiner's pool and those whose files lay there; beside each stand
the shipped weights, which were chosen with all of them in view.
"""

import heapq
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.engine.replay import PastStore, PlacesPlayer
from afterwit.engine.sweep import sweep
from afterwit.measure.replay import Saying, Whereabouts
from afterwit.model.learn_run import Options
from afterwit.recall.deck.first_prompt import known_repo
from afterwit.recall.deck.location import branch_of, location_of
from afterwit.recall.deck.reader import Deck
from afterwit.recall.places import WEIGHTS, Features, Question, features
from bench.places import examiner, files_in, played, with_checkouts
from bench.results import command_line, report
from bench.worlds import Silent, world_of

_ROUND = Features(0.0, 2.0, 1.0, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 1.0, 0.5, 2.0, 0.5, 0.5)
_STEPS = (0.0, 0.5, 2.0)
_ROUNDS = 2
_MOST_COUNTED = 30
_POOL, _LYING = "pool", "lying there"
Rated = Sequence[tuple[str, Features]]  # files


class Task(NamedTuple):
    pool: str
    repo: str
    wanted: Sequence[str]
    rated: Rated


class Rating(PlacesPlayer):
    """Notes what is known of each file that is there."""

    def __init__(self, past: PastStore) -> None:
        super().__init__(past)
        self.rated: dict[str, Rated] = {}
        self.there: dict[str, frozenset[str]] = {}

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        deck = Deck(str(self._past.at(here).layout.deck))
        place = location_of(deck, self._past.folder(here.repo))
        if place.repo:
            repo = known_repo(deck, place)
            rated = features(repo, Question(prompt[:12_000], branch_of(place.root)))
            self.there[here.session] = files_in(Path(place.root))
            self.rated[here.session] = [(path, values) for path, values in rated.items() if repo.is_there(path)]
        return ()


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--checkout", action="append", default=[], metavar="NAME=FOLDER")
    options = parser.parse_args()
    if not (os.environ.get("AFTERWIT_JUDGE") and os.environ.get("AFTERWIT_CORPUS")):
        print("Skipped: AFTERWIT_JUDGE or AFTERWIT_CORPUS not set (the examiner's script, and the homes to replay).")
        return
    homes = [Path(home).absolute() for home in os.environ["AFTERWIT_CORPUS"].split(":")]
    tasks = [task for home in homes for task in tasks_of(home, options.checkout)]
    report("place_weights", left_out(tasks), keep=options.keep)


def tasks_of(home: Path, checkouts: Sequence[str]) -> list[Task]:
    judge = examiner(home)
    sessions = judge["sessions"](str(home))
    old = {one.id: files for one, files in judge["orientation"](sessions)}
    with tempfile.TemporaryDirectory(prefix="afterwit-weights-") as folder:
        world = with_checkouts(world_of(home, Path(folder, "store")), checkouts, is_read=True)
        sweep(world, Options(), Silent())
        rating = played(world, Rating)[0]
    tasks: list[Task] = []
    for one in sessions:
        files = rating.rated.get(one.id, ())
        lying = [path for path in judge["edited"](one) if path in rating.there.get(one.id, ())]
        wanted = ((_POOL, old.get(one.id)), (_LYING, lying))
        tasks += [Task(pool, one.repo, paths, files) for pool, paths in wanted if paths]
    return tasks


def left_out(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for repo in sorted({task.repo for task in tasks}):
        chosen = choose([task for task in tasks if task.repo != repo])
        for pool in (_POOL, _LYING):
            own = [task for task in tasks if (task.repo, task.pool) == (repo, pool)]
            if own:
                figures = {"chosen_on_others": mean(chosen, own), "shipped": mean(WEIGHTS, own)}
                rows.append({"repo": repo, "cases": pool, "sessions": len(own), **figures})
    for pool in (_POOL, _LYING):
        own_rows = [row for row in rows if row["cases"] == pool]
        names = ("chosen_on_others", "shipped")
        means = {name: sum(row[name] for row in own_rows) / len(own_rows) for name in names}
        rows.append({"repo": "mean", "cases": pool, "sessions": len(own_rows), **means})
    return rows


def choose(tasks: Sequence[Task]) -> Features:
    """From the round weights, one after the other."""
    weights, best = _ROUND, counted(_ROUND, tasks)
    for name in Features._fields[1:] * _ROUNDS:
        for step in _STEPS:
            other = weights._replace(**{name: getattr(weights, name) * step})
            mark = counted(other, tasks)
            if mark > best:
                weights, best = other, mark
    return weights


def counted(weights: Features, tasks: Sequence[Task]) -> float:
    by_repo: defaultdict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        by_repo[task.pool, task.repo].append(task)
    return round(sum(min(len(own), _MOST_COUNTED) * mean(weights, own) for own in by_repo.values()), 9)


def mean(weights: Features, tasks: Sequence[Task]) -> float:
    return sum(recall(weights, task) for task in tasks) / len(tasks)


def recall(weights: Features, task: Task) -> float:
    marks = ((-sum(map(float.__mul__, weights, values)), path) for path, values in task.rated)
    named = {path for _, path in heapq.nsmallest(5, marks)}
    return sum(path in named for path in task.wanted) / min(5, len(task.wanted))


if __name__ == "__main__":
    main()
