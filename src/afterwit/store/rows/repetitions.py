"""Rows of repetitions: where a user said again what a line or a note says that had been told.

They are derived, session by session, from the prompts, from what was told by then and from what models answered; a mark
beside them says from which of it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import apsw

from afterwit.model.brief import Heard
from afterwit.store.database import columns_of, insert_into
from afterwit.store.rows.items import sessions_told

_TABLES = ("repetitions", "repetitions_sought")


class RepetitionRow(NamedTuple):
    session_id: int
    item: str  # the line or the note
    place: int  # of the prompt among those of the session, or of the line that a model named
    is_read: int  # a model found it
    at_ms: int
    quote: str


class ToldRow(NamedTuple):
    """What a session was told, and when first."""

    session_id: int
    item: str
    at_ms: int


class HearingSession(NamedTuple):
    """A session of a repository in which something was told to it, or to one before it."""

    id: int
    agent: str
    native_id: str
    repo: str
    sought: bytes | None  # on what its rows stand


def told_rows(db: apsw.Connection, session_id: int | None = None) -> Iterator[ToldRow]:
    """Of one session, or of all."""
    query = """SELECT sessions.id, item, min(at_ms) FROM exposures
               CROSS JOIN sessions ON sessions.agent = exposures.agent AND sessions.native_id = exposures.session
               WHERE is_shown AND ifnull(sessions.id = :id, 1) GROUP BY sessions.id, item ORDER BY sessions.id, item"""
    return (ToldRow(*row) for row in db.execute(query, {"id": session_id}))


def names_drawn(db: apsw.Connection) -> list[tuple[str, str]]:
    """Repositories, each with all that was ever told or held out in them."""
    query = """SELECT DISTINCT sessions.repo, item FROM exposures
               CROSS JOIN sessions ON sessions.agent = exposures.agent AND sessions.native_id = exposures.session
               ORDER BY sessions.repo, item"""
    return list(db.execute(query))


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


def sought_sessions(db: apsw.Connection) -> set[int]:
    """Sessions that have such rows, or were seen to have none."""
    return {row[0] for row in db.execute("SELECT session_id FROM repetitions_sought")}


def put_repetitions(db: apsw.Connection, session_id: int, basis: bytes, found: Iterable[RepetitionRow]) -> None:
    """Replaces those of a session."""
    forget_repetitions(db, session_id)
    db.execute("INSERT INTO repetitions_sought VALUES (?, ?)", (session_id, basis))
    db.executemany(insert_into("repetitions", columns_of(RepetitionRow), "INSERT OR IGNORE"), found)


def forget_repetitions(db: apsw.Connection, session_id: int) -> None:
    """They are to be looked for again."""
    for table in _TABLES:
        db.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))  # noqa: S608


def repetitions(db: apsw.Connection) -> Iterator[RepetitionRow]:
    query = f"SELECT {columns_of(RepetitionRow)} FROM repetitions ORDER BY session_id, place, item, is_read"  # noqa: S608
    return (RepetitionRow(*row) for row in db.execute(query))


def last_repetitions(db: apsw.Connection, item: str, most: int) -> list[RepetitionRow]:
    """Those of a line or a note, the latest first."""
    query = f"""SELECT {columns_of(RepetitionRow)} FROM repetitions WHERE item = ?
                ORDER BY at_ms DESC, session_id, place LIMIT ?"""  # noqa: S608
    return [RepetitionRow(*row) for row in db.execute(query, (item, most))]


def asked_again(db: apsw.Connection) -> dict[str, int]:
    """In how many sessions each line and note was said again that was so at all."""
    query = "SELECT item, count(DISTINCT session_id) FROM repetitions GROUP BY item ORDER BY item"
    return {str(item): int(count) for item, count in db.execute(query)}


def heard(db: apsw.Connection, names: Iterable[str]) -> dict[str, Heard]:
    """How often each of these lines or notes was told, and said again by the user."""
    wanted = set(names)
    told = sessions_told(db, wanted)
    again = {name: count for name, count in asked_again(db).items() if name in wanted}
    return {name: Heard(told.get(name, 0), again.get(name, 0)) for name in sorted(told.keys() | again.keys())}
