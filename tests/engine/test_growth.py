"""What one more session costs does not grow with the history: counted by the steps that SQLite takes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.homes import learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.model.learn_run import WantedSession
from afterwit.store.database import transaction
from afterwit.store.store import open_store

FOLDERS = ("/srv/orchard", "/srv/harbour", "/srv/mill")
SESSIONS = 30
MOST_GROWTH = 1.3
_DAY_MS = 86_400_000
_SHIFTED = {  # columns that name a row, by table; all copies of a row lie further on
    "files": ("id",),
    "sessions": ("id",),
    "parts": ("id", "file_id", "session_id"),
    "events": ("id",),
    "actions": ("id",),
    "spends": ("part_id",),
    "notes": ("part_id",),
    "digests": ("session_id",),
    "harvested": ("session_id",),
    "sightings": ("session_id",),
}
_STEP = 1_000
_WIDE = ("events", "actions")  # their ids are those of parts, and an ordinal below
_TIMES = ("started_ms", "ended_ms", "at_ms")


def session(number: int, start_s: int) -> Log:
    """A session that makes a mistake, mends it, edits a file of its own and one that all edit."""
    log = Log(number, start_s, FOLDERS[number % len(FOLDERS)]).prompt(f"Let press {number} of the mill turn faster")
    log.search("press").edit(f"src/press{number % 7}.ts").edit("src/barrel.ts")
    log.shell("npm run tset", 'npm error Missing script: "tset"', fails=True).shell("npm run test", "12 passing")
    return log.shell("cargo build", "Finished").shell("git commit -am 'Let it turn'", "1 file changed")


def multiplied(db: apsw.Connection, times: int) -> None:
    """Every session with all its rows, as often, on earlier days."""
    tables = {table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")] for table in _SHIFTED}
    with transaction(db):
        db.execute("PRAGMA defer_foreign_keys = ON")
        for copy in range(1, times):
            for table, columns in tables.items():
                values = ", ".join(copied(table, column) for column in columns)
                of_first = f"{_SHIFTED[table][0]} < {_STEP << 24 if table in _WIDE else _STEP}"
                query = f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {of_first}"
                db.execute(query, {"copy": copy, "step": copy * _STEP, "earlier": copy * _DAY_MS})


def copied(table: str, column: str) -> str:
    if column in _SHIFTED[table]:
        return f"{column} + (:step << 24)" if table in _WIDE else f"{column} + :step"
    if column in _TIMES:
        return f"{column} - :earlier"
    made = {"native_id": "native_id || '-' || :copy", "key": "randomblob(16)", "ref": "x''", "checksum": "x'01'"}
    return made.get(column, column)


@contextmanager
def counting_steps() -> Iterator[list[int]]:
    """The steps of all statements, on whatever connection."""
    steps: list[int] = []

    def note(event: dict[str, Any]) -> None:
        steps.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)

    apsw.connection_hooks.append(watch)
    try:
        yield steps
    finally:
        apsw.connection_hooks.remove(watch)


def steps_for_one_more(place: Path, times: int) -> int:
    home, store = place / "home", place / "store"
    for number in range(SESSIONS):
        session(number, number * HOUR_S // 4).put(home)
    learned(home, store)
    with open_store(world_of(home, store).layout) as one:
        multiplied(one.db, times)
        assert one.db.execute("SELECT sum(sessions) FROM session_places").get == SESSIONS * times
    for number in (SESSIONS, SESSIONS + len(FOLDERS)):  # the first finds what is named anew
        new = session(number, number * HOUR_S // 4)
        new.put(home)
        with counting_steps() as steps:
            report = learned(home, store, sessions=(WantedSession("claude-code", new.session),))
        assert report.sessions == SESSIONS * times + 1 + (number > SESSIONS)
        assert 1 <= report.harvested.seen <= SESSIONS  # those of the day before are judged by how it begins
    return sum(steps)


@pytest.mark.slow
@pytest.mark.parametrize("times", [(34, 340)])
def test_one_more_session_costs_as_much_at_ten_thousand_sessions_as_at_one_thousand(
    tmp_path: Path, times: tuple[int, int]
) -> None:
    few, many = (steps_for_one_more(tmp_path / str(number), number) for number in times)
    assert many <= MOST_GROWTH * few
