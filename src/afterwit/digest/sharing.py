"""Lets workers look at sessions: each reads their rows by itself, and only what came of them goes back.

What a stage asks of a session is a function of the database and the session's id that changes nothing. A worker reads
what is committed; so whoever shares work has committed what it depends on, or stays alone in his transaction.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import apsw

from afterwit.capture.workers import Workers
from afterwit.model.learn_run import Progress
from afterwit.store.database import connect_readonly

Answer = TypeVar("Answer")
_BATCH = 32
_MANY = 256  # sessions that are worth starting workers for


class SharedSessions:
    def __init__(self, db: apsw.Connection, workers: Workers, progress: Progress | None = None) -> None:
        self._db = db
        self._workers = workers
        self._progress = progress

    def answers(
        self, sessions: Sequence[int], ask: Callable[[apsw.Connection, int], Answer | None], label: str
    ) -> Iterator[list[Answer]]:
        """What came of the sessions, batch by batch; nothing of those that are gone."""
        if self._progress is not None:
            self._progress.stage(label, len(sessions), "sessions")
        batches = [sessions[start : start + _BATCH] for start in range(0, len(sessions), _BATCH)]
        for batch, answered in self._answered(batches, ask, is_much=len(sessions) >= _MANY):
            yield answered
            if self._progress is not None:
                self._progress.advance(len(batch), len(batch))

    def _answered(
        self,
        batches: list[Sequence[int]],
        ask: Callable[[apsw.Connection, int], Answer | None],
        *,
        is_much: bool,
    ) -> Iterator[tuple[Sequence[int], list[Answer]]]:
        if self._db.in_transaction or not self._workers.are_worth(is_much=is_much):
            return ((batch, _asked(ask, self._db, batch)) for batch in batches)
        work = partial(_asked_by_worker, ask, Path(self._db.filename))
        return self._workers.spread(batches, work, is_much=is_much)


def _asked(
    ask: Callable[[apsw.Connection, int], Answer | None], db: apsw.Connection, sessions: Sequence[int]
) -> list[Answer]:
    return [answer for session in sessions if (answer := ask(db, session)) is not None]


def _asked_by_worker(
    ask: Callable[[apsw.Connection, int], Answer | None], database: Path, sessions: Sequence[int]
) -> list[Answer]:
    return _asked(ask, _reading(database), sessions)


@cache
def _reading(database: Path) -> apsw.Connection:
    """Kept open as long as the worker lives."""
    return connect_readonly(database)
