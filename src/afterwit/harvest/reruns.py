"""When a task is given again: nearly the same first prompt, in the same repository and on the same branch, soon after.

A plan that is run a second time, or a prompt that is tried once more, leads to the same commands and the same failures.
That is one origin and counts once, whichever agent gets it. Short prompts (`continue`, `fix the tests`) are given for
different work, and so are stock prompts on different branches: both stay apart. So does a task that comes every few
hours: what is given long after it was given first is another origin, and the first of its own.
"""

import re
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

SOON_MS = 12 * 3_600_000
OPENING = 40  # characters at the beginning that must be equal
_FEWEST_WORDS = 8
_SAME = 0.8  # share of words; in the development histories repeats have 0.97 and more, other pairs 0.47 and less
_WORD = re.compile(r"\w+")


class Given(NamedTuple):
    """A task as a session got it."""

    repo: str
    branch: str
    at_ms: int
    task: str


def is_again(later: Given, earlier: Given) -> bool:
    """Whether the later task is the earlier one, given again."""
    return (
        bool(later.repo)
        and (later.repo, later.branch) == (earlier.repo, earlier.branch)
        and 0 <= later.at_ms - earlier.at_ms <= SOON_MS
        and later.task[:OPENING] == earlier.task[:OPENING]
        and _is_same(_words(later.task), _words(earlier.task))
    )


class Tasks:
    """The tasks of sessions that come in order of time, to find out which of them were given before."""

    def __init__(self) -> None:
        self._firsts: defaultdict[tuple[str, str], list[tuple[str, Given]]] = defaultdict(list)

    def first(self, session: str, given: Given) -> str:
        """The session that got this task first: an earlier one that is itself no repeat, or this one."""
        near = self._firsts[given.repo, given.branch]
        near[:] = [(name, one) for name, one in near if given.at_ms - one.at_ms <= SOON_MS]
        for name, one in near:
            if is_again(given, one):
                return name
        near.append((session, given))
        return session


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < _FEWEST_WORDS:
        return False
    return one is other or len(one & other) >= _SAME * len(one | other)


@lru_cache(maxsize=512)
def _words(task: str) -> frozenset[str]:
    return frozenset(_WORD.findall(task.casefold()))
