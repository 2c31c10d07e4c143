"""Which sessions count as one story: a session with its subagents, forks and resumes, and the same task given again.

A task is given again when nearly the same first prompt comes in the same repository and on the same branch, soon after.
A plan that is run a second time, or a prompt that is tried once more, leads to the same commands and the same failures.
That is one origin and counts once, whichever agent gets it. Short prompts (`continue`, `fix the tests`) are given for
different work, and so are stock prompts on different branches: both stay apart. So does a task that comes every few
hours: what is given long after it was given first is another origin, and the first of its own.

The story of a session depends on the set of sessions alone. A session that comes late, or is another than it was, may
change the story of others; `store.rows.sightings.sessions_near` finds those whose evidence has to be weighed again.
"""

import hashlib
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.text import regex
from afterwit.store.rows.session_list import SessionRow, session_of
from afterwit.store.rows.sightings import same_tasks

SOON_MS = 12 * 3_600_000
OPENING = 40  # characters at the beginning that must be equal
_FEWEST_WORDS = 8
_SAME = 0.8  # share of words; in the development histories repeats have 0.97 and more, other pairs 0.47 and less
_WORD = regex(r"\w+")
_DEEPEST = 16


class GivenTask(NamedTuple):
    """A task as a session got it."""

    repo: str
    branch: str
    at_ms: int
    task: str


def is_again(later: GivenTask, earlier: GivenTask) -> bool:
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
        self._firsts: defaultdict[tuple[str, str], list[tuple[str, GivenTask]]] = defaultdict(list)

    def first(self, session: str, task: GivenTask) -> str:
        """The session that got this task first: an earlier one that is itself no repeat, or this one."""
        near = self._firsts[task.repo, task.branch]
        near[:] = [(name, earlier) for name, earlier in near if task.at_ms - earlier.at_ms <= SOON_MS]
        for name, earlier in near:
            if is_again(task, earlier):
                return name
        near.append((session, task))
        return session


def _is_same(words: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(words), len(other)) < _FEWEST_WORDS:
        return False
    return words is other or len(words & other) >= _SAME * len(words | other)


@lru_cache(maxsize=512)
def _words(task: str) -> frozenset[str]:
    return frozenset(_WORD.findall(task.casefold()))


def given_hash(row: SessionRow) -> bytes:
    """Changes when anything does that stories depend on: which task was given to a session, when, where and by whom."""
    given = (row.agent, row.native_id, row.parent, row.repo, row.branch, row.started_ms, row.task)
    return hashlib.blake2b(msgspec.msgpack.encode(given), digest_size=12).digest()


def root_of(db: apsw.Connection, row: SessionRow) -> SessionRow:
    """The session at the root of subagents, forks and resumes."""
    for _ in range(_DEEPEST):
        above = session_of(db, row.agent, row.parent) if row.parent else None
        if above is None or above.id == row.id:
            break
        row = above
    return row


class Stories:
    """Names stories, as long as no session comes or goes: each series of the same task is gone through once."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._first: dict[int, str] = {}

    def of(self, row: SessionRow) -> str:
        """The root's id; where its task was given before, that of the session that got it first."""
        root = root_of(self._db, row)
        if root.id not in self._first:
            self._first[root.id] = root.native_id
            self._first.update(self._series(root))
        return self._first[root.id]

    def _series(self, root: SessionRow) -> dict[int, str]:
        if not root.repo or not root.started_ms or len(_words(root.task)) < _FEWEST_WORDS:
            return {}
        tasks = Tasks()
        return {
            task.id: tasks.first(task.native_id, GivenTask(root.repo, root.branch, task.at_ms, task.task))
            for task in same_tasks(self._db, root.id, SOON_MS, OPENING)
        }
