"""Rows of digests (one packed record per session, and which sessions wait for theirs) and of the harvest: what was seen
in each session, which matters wait to be concluded, the drafts, and which sessions may have got the same task.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import apsw

from afterwit.store.checksums import digest_checksum
from afterwit.store.database import columns_of, insert_into, json_list


class DigestRow(NamedTuple):
    session_id: int
    version: int
    body: bytes


def undigested(db: apsw.Connection, version: int) -> list[int]:
    """Sessions without a digest of this version, in the order in which they began."""
    query = """SELECT sessions.id FROM sessions LEFT JOIN digests ON digests.session_id = sessions.id
               WHERE sessions.is_digested <> 1 OR digests.version IS NOT ? ORDER BY sessions.started_ms, sessions.id"""
    return [row[0] for row in db.execute(query, (version,))]


def changed_sessions(db: apsw.Connection) -> list[int]:
    """Sessions whose rows changed since they were digested, or that never were."""
    return [row[0] for row in db.execute("SELECT id FROM sessions WHERE is_digested = 0")]


def put_digest(db: apsw.Connection, row: DigestRow, outcome: str, task_type: str) -> None:
    """Stores a digest, and in the session's row what lists show of it."""
    checksum = digest_checksum(row.body, outcome, task_type)
    query = "INSERT OR REPLACE INTO digests (session_id, version, body, checksum) VALUES (?, ?, ?, ?)"
    db.execute(query, (*row, checksum))
    db.execute("UPDATE harvested SET version = '' WHERE session_id = ?", (row.session_id,))
    query = "UPDATE sessions SET is_digested = 1, outcome = ?, task_type = ? WHERE id = ?"
    db.execute(query, (outcome, task_type, row.session_id))


def digest_of(db: apsw.Connection, session_id: int) -> DigestRow | None:
    query = f"SELECT {columns_of(DigestRow)} FROM digests WHERE session_id = ?"  # noqa: S608
    row = db.execute(query, (session_id,)).fetchone()
    return DigestRow(*row) if row else None


def all_digests(db: apsw.Connection) -> Iterator[DigestRow]:
    """All digests, in the order in which their sessions began."""
    query = f"""SELECT {columns_of(DigestRow, table="digests")}
                FROM sessions JOIN digests ON digests.session_id = sessions.id
                ORDER BY sessions.started_ms, sessions.agent, sessions.native_id"""  # noqa: S608
    return (DigestRow(*row) for row in db.execute(query))


class SameTask(NamedTuple):
    id: int
    native_id: str
    at_ms: int
    task: str


class SightingRow(NamedTuple):
    harvester: str
    matter: str
    session_id: int
    ordinal: int
    body: bytes


class MatterKey(NamedTuple):
    harvester: str
    name: str


class DraftRow(NamedTuple):
    id: str
    harvester: str
    matter: str
    body: bytes


def unharvested(db: apsw.Connection, version: str) -> list[int]:
    """Sessions with a digest that were not looked at by these harvesters; those that promise most come first."""
    query = """SELECT sessions.id FROM sessions JOIN digests ON digests.session_id = sessions.id
               LEFT JOIN harvested ON harvested.session_id = sessions.id
               WHERE sessions.is_digested = 1 AND (harvested.session_id IS NULL OR harvested.version <> ?
                   OR harvested.repo <> sessions.repo)
               ORDER BY sessions.failures + sessions.prompts + sessions.denials DESC, sessions.actions DESC,
                   sessions.id"""
    return [row[0] for row in db.execute(query, (version,))]


def put_seen(db: apsw.Connection, session_id: int, version: str, repo: str, rows: Iterable[SightingRow]) -> None:
    """Replaces what was seen in a session. The matters before and after are touched."""
    _touch_session(db, session_id)
    db.execute("DELETE FROM sightings WHERE session_id = ?", (session_id,))
    db.executemany(insert_into("sightings", columns_of(SightingRow)), rows)
    _touch_session(db, session_id)
    db.execute("INSERT OR REPLACE INTO harvested VALUES (?, ?, ?)", (session_id, version, repo))


def forget_deleted_sessions(db: apsw.Connection) -> int:
    """Forgets what was seen in sessions that are no longer there. Returns how many these are. All that were looked at
    have a row in `harvested`. When they began is not known any more, so all matters of their repositories are
    touched."""
    query = "SELECT session_id, repo FROM harvested WHERE session_id NOT IN (SELECT id FROM sessions)"
    others = """INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM sightings
                WHERE session_id IN (SELECT id FROM sessions WHERE repo = ?)"""
    deleted = list(db.execute(query))
    for session_id, repo in deleted:
        _touch_session(db, session_id)
        db.execute(others, (repo,))
        db.execute("DELETE FROM sightings WHERE session_id = ?", (session_id,))
        db.execute("DELETE FROM harvested WHERE session_id = ?", (session_id,))
    return len(deleted)


def _touch_session(db: apsw.Connection, session_id: int) -> None:
    query = "INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM sightings WHERE session_id = ?"
    db.execute(query, (session_id,))


def touch_stories(db: apsw.Connection, session_ids: Iterable[int], soon_ms: int, opening: int) -> None:
    """The matters of all sessions whose story may be another because of these are to be concluded again: of what came
    out of them; of what began soon after one of them in the repository where it is, or where it was when it was last
    looked at; of what begins with the same characters soon after one of those; and of what came out of them all."""
    query = """WITH RECURSIVE born(id, above) AS MATERIALIZED (
                   SELECT below.id, above.id FROM sessions AS below JOIN sessions AS above
                       ON above.agent = below.agent AND above.native_id = below.parent
                   WHERE below.parent <> ''),
               family(id) AS (
                   SELECT value FROM json_each(:ids)
                   UNION SELECT born.id FROM family JOIN born ON born.above = family.id),
               places(repo, at_ms) AS (
                   SELECT repo, started_ms FROM sessions WHERE id IN family
                   UNION SELECT harvested.repo, started_ms FROM harvested JOIN sessions ON id = session_id
                       WHERE session_id IN family),
               near(id, repo, branch, opening, at_ms) AS (
                   SELECT id, sessions.repo, branch, substr(task, 1, :opening), started_ms
                       FROM places JOIN sessions ON sessions.repo = places.repo
                           AND started_ms BETWEEN places.at_ms AND places.at_ms + :soon_ms
                       WHERE sessions.repo <> ''
                   UNION SELECT later.id, near.repo, near.branch, near.opening, later.started_ms
                       FROM near JOIN sessions AS later ON later.repo = near.repo
                           AND later.started_ms BETWEEN near.at_ms AND near.at_ms + :soon_ms
                       WHERE later.branch = near.branch AND substr(later.task, 1, :opening) = near.opening),
               told(id) AS (
                   SELECT id FROM family UNION SELECT id FROM near
                   UNION SELECT born.id FROM told JOIN born ON born.above = told.id)
               INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM sightings
               WHERE session_id IN told"""
    ids = json_list(session_ids)
    db.execute(query, {"ids": ids, "soon_ms": soon_ms, "opening": opening})


def forget_harvest(db: apsw.Connection) -> None:
    """Every session is to be looked at again."""
    db.execute("UPDATE harvested SET version = ''")


def touch_all(db: apsw.Connection) -> None:
    """Every matter is to be concluded again."""
    db.execute("INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM sightings")
    db.execute("INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM drafts")


def touched(db: apsw.Connection) -> list[MatterKey]:
    return [MatterKey(*row) for row in db.execute("SELECT harvester, matter FROM touched ORDER BY harvester, matter")]


def sightings_of(db: apsw.Connection, matter: MatterKey) -> list[SightingRow]:
    query = f"""SELECT {columns_of(SightingRow)} FROM sightings
                WHERE harvester = ? AND matter = ? ORDER BY session_id, ordinal"""  # noqa: S608
    return [SightingRow(*row) for row in db.execute(query, matter)]


def put_drafts(db: apsw.Connection, matter: MatterKey, rows: Iterable[DraftRow]) -> None:
    """Replaces what was concluded in a matter, which is then no longer touched."""
    db.execute("DELETE FROM drafts WHERE harvester = ? AND matter = ?", matter)
    db.executemany(insert_into("drafts", columns_of(DraftRow), "INSERT OR REPLACE"), rows)
    db.execute("DELETE FROM touched WHERE harvester = ? AND matter = ?", matter)


def all_drafts(db: apsw.Connection) -> Iterator[DraftRow]:
    query = f"SELECT {columns_of(DraftRow)} FROM drafts ORDER BY harvester, matter, id"  # noqa: S608
    return (DraftRow(*row) for row in db.execute(query))


def same_tasks(db: apsw.Connection, session: int, soon_ms: int, opening: int) -> list[SameTask]:
    """The series that a session belongs to, the earliest first: all that stand at the root of theirs and begin with the
    same characters, without a longer pause between two than this."""
    query = """WITH RECURSIVE own AS (
                   SELECT repo, branch, substr(task, 1, :opening) AS opening, started_ms FROM sessions
                   WHERE id = :session),
               series(at_ms) AS (
                   SELECT started_ms FROM own
                   UNION SELECT others.started_ms FROM series JOIN own JOIN sessions AS others
                       ON others.repo = own.repo
                           AND others.started_ms BETWEEN series.at_ms - :soon_ms AND series.at_ms + :soon_ms
                   WHERE others.branch = own.branch AND substr(others.task, 1, :opening) = own.opening)
               SELECT others.id, others.native_id, others.started_ms, others.task FROM own JOIN sessions AS others
                   ON others.repo = own.repo AND others.started_ms
                       BETWEEN (SELECT min(at_ms) FROM series) AND (SELECT max(at_ms) FROM series)
               WHERE others.branch = own.branch AND substr(others.task, 1, :opening) = own.opening
                   AND NOT EXISTS (SELECT 1 FROM sessions AS above WHERE above.agent = others.agent
                       AND above.native_id = others.parent AND above.id <> others.id)
               ORDER BY others.started_ms, others.native_id, others.id"""
    values = {"session": session, "soon_ms": soon_ms, "opening": opening}
    return [SameTask(*row) for row in db.execute(query, values)]
