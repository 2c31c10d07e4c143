"""Lets workers look at sessions: each reads their rows by itself, and only what came of them goes back.

What a stage asks of a session is two functions: one gives what is to be looked at, from the database and the session's
id; the other looks at it, and needs nothing else. A worker of this machine does both, reading what is committed; so
whoever shares work has committed what it depends on, or stays alone in his transaction. To a worker on another machine
goes what the first one gave.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Generic, TypeVar

import apsw

from afterwit.capture.workers import Workers
from afterwit.model.learn_run import Progress
from afterwit.store.database import connect_readonly

Given = TypeVar("Given")
Answer = TypeVar("Answer")
_BATCH = 32
_MANY = 256  # sessions that are worth starting workers for


class SessionQuestion(Generic[Given, Answer]):
    """What a stage asks of every session; both functions can be sent to a worker."""

    def __init__(self, given: Callable[[apsw.Connection, int], Given | None], look: Callable[[Given], Answer]) -> None:
        self.given = given  # None: the session is gone
        self.look = look


class SharedSessions:
    def __init__(self, db: apsw.Connection, workers: Workers, progress: Progress | None = None) -> None:
        self._db = db
        self._workers = workers
        self._progress = progress

    def answers(
        self, sessions: Sequence[int], question: SessionQuestion[Given, Answer], label: str
    ) -> Iterator[list[Answer]]:
        """What came of the sessions, batch by batch; nothing of those that are gone."""
        if self._progress is not None:
            self._progress.stage(label, len(sessions), "sessions")
        batches = [sessions[start : start + _BATCH] for start in range(0, len(sessions), _BATCH)]
        for batch, answered in self._answered(batches, question, is_much=len(sessions) >= _MANY):
            yield answered
            if self._progress is not None:
                self._progress.advance(len(batch), len(batch))

    def _answered(
        self, batches: list[Sequence[int]], question: SessionQuestion[Given, Answer], *, is_much: bool
    ) -> Iterator[tuple[Sequence[int], list[Answer]]]:
        if not self._db.in_transaction:
            if self._workers.elsewhere is not None:
                pack = partial(_given, question.given, self._db)
                sent = self._workers.elsewhere.spread(batches, pack, partial(_looked_at, question.look))
                return (
                    (batch, _asked(question, self._db, batch) if answers is None else answers)
                    for batch, answers in sent
                )
            if self._workers.are_worth(is_much=is_much):
                work = partial(_asked_by_worker, question, Path(self._db.filename))
                return self._workers.spread(batches, work, is_much=is_much)
        return ((batch, _asked(question, self._db, batch)) for batch in batches)


def _given(
    given: Callable[[apsw.Connection, int], Given | None], db: apsw.Connection, sessions: Sequence[int]
) -> list[Given]:
    return [material for session in sessions if (material := given(db, session)) is not None]


def _looked_at(look: Callable[[Given], Answer], materials: list[Given]) -> list[Answer]:
    return [look(material) for material in materials]


def _asked(question: SessionQuestion[Given, Answer], db: apsw.Connection, sessions: Sequence[int]) -> list[Answer]:
    materials = (question.given(db, session) for session in sessions)
    return [question.look(material) for material in materials if material is not None]


def _asked_by_worker(question: SessionQuestion[Given, Answer], database: Path, sessions: Sequence[int]) -> list[Answer]:
    return _asked(question, _reading(database), sessions)


@cache
def _reading(database: Path) -> apsw.Connection:
    """Kept open as long as the worker lives."""
    return connect_readonly(database)
