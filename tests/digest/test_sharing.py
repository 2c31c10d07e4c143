"""Sessions are shared with workers, who read for themselves what is committed."""

import os
from pathlib import Path

import apsw
import pytest

from afterwit.capture.workers import Workers
from afterwit.digest import door
from afterwit.digest.door import SessionQuestion, SharedSessions
from afterwit.store.database import connect, transaction


def name_of(db: apsw.Connection, session: int) -> str | None:
    row = db.execute("SELECT name FROM trees WHERE id = ?", (session,)).fetchone()
    return str(row[0]) if row else None


def with_process(name: str) -> tuple[str, int]:
    return name, os.getpid()


NAMES = SessionQuestion(name_of, with_process)


@pytest.fixture
def db(tmp_path: Path) -> apsw.Connection:
    db = connect(tmp_path / "orchard.db")
    db.execute("CREATE TABLE trees (id INTEGER PRIMARY KEY, name TEXT)")
    db.executemany("INSERT INTO trees VALUES (?, ?)", [(number, f"tree {number}") for number in range(100)])
    return db


def asked(db: apsw.Connection, workers: Workers, count: int = 110) -> tuple[list[str], set[int]]:
    answers = [answer for batch in SharedSessions(db, workers).answers(range(count), NAMES, "") for answer in batch]
    return sorted(name for name, _ in answers), {process for _, process in answers}


def test_workers_answer_as_this_process_does_and_leave_out_what_is_gone(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, process = asked(db, Workers())
    assert process == {os.getpid()}
    assert len(alone) == 100
    monkeypatch.setattr(door, "_MANY", 1)
    with Workers(2) as workers:
        shared, processes = asked(db, workers)
    assert shared == alone
    assert os.getpid() not in processes


def test_few_sessions_and_what_is_not_committed_stay_in_this_process(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workers(2) as workers:
        assert asked(db, workers)[1] == {os.getpid()}
        monkeypatch.setattr(door, "_MANY", 1)
        with transaction(db):
            db.execute("DELETE FROM trees WHERE id > 4")
            assert asked(db, workers) == ([f"tree {number}" for number in range(5)], {os.getpid()})
