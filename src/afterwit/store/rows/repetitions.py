"""Rows of repetitions: where a user said again what a line or a note says that had been told. They are derived, session
by session; a mark beside them says from what.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import apsw

from afterwit.model.brief import Heard
from afterwit.store.database import columns_of, insert_into, json_list
from afterwit.store.rows.items import sessions_told

_TABLES = ("repetitions", "repetitions_sought")


class RepetitionRow(NamedTuple):
    session_id: int
    item: str  # the line or the note
    place: int  # of the prompt among those of the session, or of the line that a model named
    is_read: int  # a model found it
    at_ms: int
    quote: str


class HeardRow(NamedTuple):
    """What a session was told, or what was held out, and when first."""

    session_id: int
    repo: str
    item: str
    at_ms: int
    is_shown: int


class HearingSession(NamedTuple):
    """A session of a repository in which something was told to it, or to one before it."""

    id: int
    agent: str
    native_id: str
    repo: str
    basis: bytes | None  # on what its rows stand


def heard_rows(db: apsw.Connection, session_id: int | None = None) -> Iterator[HeardRow]:
    """Of one session, or of all."""
    query = """SELECT sessions.id, repo, item, min(at_ms), max(is_shown) FROM exposures
               CROSS JOIN sessions ON sessions.agent = exposures.agent AND sessions.native_id = exposures.session
               WHERE ifnull(sessions.id = :id, 1) GROUP BY sessions.id, item ORDER BY sessions.id, item"""
    return (HeardRow(*row) for row in db.execute(query, {"id": session_id}))


def hearing_sessions(db: apsw.Connection) -> list[HearingSession]:
    """Those that have a digest, without subagents, by repository and in the order in which they began."""
    query = """SELECT sessions.id, sessions.agent, sessions.native_id, sessions.repo, basis FROM (
                   SELECT repo, min(started_ms) AS since_ms FROM exposures
                   CROSS JOIN sessions ON sessions.agent = exposures.agent AND sessions.native_id = exposures.session
                   WHERE is_shown GROUP BY repo) AS places
               CROSS JOIN sessions ON sessions.repo = places.repo AND started_ms >= since_ms
               LEFT JOIN repetitions_sought ON session_id = sessions.id
               WHERE relation <> 'subagent' AND is_digested = 1
               ORDER BY sessions.repo, started_ms, sessions.agent, sessions.native_id"""
    return [HearingSession(*row) for row in db.execute(query)]


def put_repetitions(db: apsw.Connection, session_id: int, basis: bytes, repetitions: Iterable[RepetitionRow]) -> None:
    """Replaces those of a session."""
    forget_repetitions(db, session_id)
    db.execute("INSERT INTO repetitions_sought VALUES (?, ?)", (session_id, basis))
    db.executemany(insert_into("repetitions", columns_of(RepetitionRow), "INSERT OR IGNORE"), repetitions)


def forget_repetitions(db: apsw.Connection, session_id: int) -> None:
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))  # noqa: S608


def keep_repetitions(db: apsw.Connection, sessions: Iterable[int]) -> None:
    """Removes those of all others."""
    for table in _TABLES:
        query = f"DELETE FROM {table} WHERE session_id NOT IN (SELECT value FROM json_each(?))"  # noqa: S608
        db.execute(query, (json_list(sessions),))


def repetitions(db: apsw.Connection) -> list[RepetitionRow]:
    query = f"SELECT {columns_of(RepetitionRow)} FROM repetitions ORDER BY at_ms, session_id, place, item, is_read"  # noqa: S608
    return [RepetitionRow(*row) for row in db.execute(query)]


def asked_again(db: apsw.Connection) -> dict[str, int]:
    """By line and note the sessions in which it was said again."""
    return dict(db.execute("SELECT item, count(DISTINCT session_id) FROM repetitions GROUP BY item ORDER BY item"))


def heard(db: apsw.Connection, names: Iterable[str]) -> dict[str, Heard]:
    """How often each of these lines or notes was told, and said again by the user."""
    wanted = sorted(set(names))
    again = asked_again(db)
    return {name: Heard(told, again.get(name, 0)) for name, told in sessions_told(db, wanted).items()}
