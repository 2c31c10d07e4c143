"""Rows of digests (one packed record per session, and which sessions wait for theirs) and of the harvest: what was seen
in each session, which matters wait to be concluded, the drafts, and which sessions may have got the same task.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into, json_list
from afterwit.store.rows.repetitions import forget_repetitions

_DELETE_SIGHTING = """DELETE FROM sightings WHERE harvester = ? AND matter = ? AND is_telling = ? AND at_ms = ?
    AND session_id = ? AND ordinal = ?"""


_IN_SEVERAL = "UNION SELECT about FROM drafts WHERE is_general GROUP BY about HAVING min(scope) <> max(scope)"


class DigestRow(NamedTuple):
    session_id: int
    version: int
    body: bytes


def sessions_to_digest(db: apsw.Connection, version: int) -> list[int]:
    """Sessions without a digest of this version, in the order in which they began."""
    query = """SELECT sessions.id FROM (
                   SELECT id FROM sessions INDEXED BY sessions_to_digest WHERE is_digested <> 1
                   UNION SELECT session_id FROM digests INDEXED BY digests_by_version WHERE version < :version
                   UNION SELECT session_id FROM digests INDEXED BY digests_by_version WHERE version > :version
               ) AS waiting
               CROSS JOIN sessions ON sessions.id = waiting.id ORDER BY started_ms, sessions.id"""
    return [row[0] for row in db.execute(query, {"version": version})]


def sessions_changed(db: apsw.Connection) -> list[int]:
    """Sessions whose rows changed since they were digested, or that never were."""
    return [row[0] for row in db.execute("SELECT id FROM sessions WHERE is_digested <> 1 AND is_digested = 0")]


def put_digest(db: apsw.Connection, row: DigestRow, outcome: str, task_type: str) -> None:
    """Stores a digest, and in the session's row what lists show of it."""
    db.execute(insert_into("digests", columns_of(DigestRow), "INSERT OR REPLACE"), row)
    query = "INSERT INTO harvested VALUES (?, '', '', x'', x'') ON CONFLICT DO UPDATE SET version = ''"
    db.execute(query, (row.session_id,))
    forget_repetitions(db, row.session_id)
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
    is_telling: int  # it may found something; others only speak for it or against it
    at_ms: int  # when its session began
    session_id: int
    ordinal: int
    body: bytes


class HarvestedRow(NamedTuple):
    """What a session was harvested as."""

    session_id: int
    version: str
    repo: str
    given: bytes  # hash of when and where which task was given to it
    ref: bytes  # how evidence names it; empty: to be made again


class MatterKey(NamedTuple):
    harvester: str
    name: str


class DraftRow(NamedTuple):
    id: str
    harvester: str
    matter: str
    scope: str
    about: bytes  # hash of what it is about, wherever it holds
    is_general: int  # it is of a kind that may hold everywhere
    body: bytes


def sessions_to_harvest(db: apsw.Connection, version: str) -> list[int]:
    """Sessions with a digest that were not looked at by these harvesters; those that promise most come first."""
    query = """SELECT id FROM (
                   SELECT session_id FROM harvested WHERE version < :version
                   UNION ALL SELECT session_id FROM harvested WHERE version > :version)
               CROSS JOIN sessions ON id = session_id WHERE is_digested = 1
               ORDER BY failures + prompts + denials DESC, actions DESC, id"""
    return [row[0] for row in db.execute(query, {"version": version})]


def is_of_another_version(db: apsw.Connection, version: str) -> bool:
    """Whether some sessions were last looked at by other harvesters than these."""
    query = """SELECT 1 FROM harvested WHERE version > '' AND version < :version
               UNION ALL SELECT 1 FROM harvested WHERE version > :version LIMIT 1"""
    return db.execute(query, {"version": version}).fetchone() is not None


def has_harvested(db: apsw.Connection) -> bool:
    """Whether any session was ever looked at."""
    return db.execute("SELECT 1 FROM harvested WHERE given > x'' LIMIT 1").fetchone() is not None


def harvest_of(db: apsw.Connection, session_id: int) -> HarvestedRow | None:
    query = f"SELECT {columns_of(HarvestedRow)} FROM harvested WHERE session_id = ?"  # noqa: S608
    row = db.execute(query, (session_id,)).fetchone()
    return HarvestedRow(*row) if row else None


def put_ref(db: apsw.Connection, session_id: int, ref: bytes) -> None:
    db.execute("UPDATE harvested SET ref = ? WHERE session_id = ?", (ref, session_id))


def put_seen(db: apsw.Connection, session: HarvestedRow, rows: Iterable[SightingRow], *, is_other: bool) -> None:
    """Replaces what was seen in a session. The matters of which it says something else are touched; all of them, if the
    session itself is another than it was."""
    before, after = set(_sightings_in(db, session.session_id)), set(rows)
    gone, new = before - after, after - before
    for row in gone:
        db.execute(_DELETE_SIGHTING, row[:-1])
    db.executemany(insert_into("sightings", columns_of(SightingRow)), sorted(new))
    touch(db, {(row.harvester, row.matter) for row in (before | after if is_other else gone | new)})
    db.execute(insert_into("harvested", columns_of(HarvestedRow), "INSERT OR REPLACE"), session)


def _sightings_in(db: apsw.Connection, session_id: int) -> Iterator[SightingRow]:
    query = f"SELECT {columns_of(SightingRow)} FROM sightings WHERE session_id = ?"  # noqa: S608
    return (SightingRow(*row) for row in db.execute(query, (session_id,)))


def touch(db: apsw.Connection, matters: Iterable[tuple[str, str]]) -> None:
    """These are to be concluded again."""
    db.executemany("INSERT OR IGNORE INTO touched (harvester, matter) VALUES (?, ?)", sorted(matters))


def forget_deleted_sessions(db: apsw.Connection) -> int:
    """Forgets what was seen in sessions that are no longer there. Returns how many these are. A session that goes is to
    be looked at again, so that it is found here. When they began is not known any more, so all sessions of their
    repositories are named anew, and their matters touched."""
    query = """SELECT session_id, repo FROM harvested
               WHERE version = '' AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = session_id)"""
    deleted = list(db.execute(query))
    for session_id, repo in deleted:
        seen = set(_sightings_in(db, session_id))
        touch(db, {(row.harvester, row.matter) for row in seen})
        db.execute("DELETE FROM sightings WHERE session_id = ?", (session_id,))
        db.execute("DELETE FROM harvested WHERE session_id = ?", (session_id,))
        tell_otherwise(db, [row[0] for row in db.execute("SELECT id FROM sessions WHERE repo = ?", (repo,))])
    return len(deleted)


def tell_otherwise(db: apsw.Connection, session_ids: Iterable[int]) -> None:
    """Evidence may name these sessions otherwise from now on: all that was seen in them is to be concluded again."""
    ids = json_list(session_ids)
    db.execute("UPDATE harvested SET ref = x'' WHERE session_id IN (SELECT value FROM json_each(?))", (ids,))
    query = """INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter
               FROM json_each(?) AS told CROSS JOIN sightings ON sightings.session_id = told.value"""
    db.execute(query, (ids,))


def sessions_near(db: apsw.Connection, session_ids: Iterable[int], soon_ms: int, opening: int) -> list[int]:
    """All sessions whose story may be another because of these: what came out of them; what began soon after one of
    them in the repository where it is, or where it was when it was last looked at; what begins with the same
    characters soon after one of those; and what came out of them all."""
    query = """WITH RECURSIVE
               family(id) AS (
                   SELECT value FROM json_each(:ids)
                   UNION SELECT below.id FROM family CROSS JOIN sessions AS above ON above.id = family.id
                       CROSS JOIN sessions AS below ON below.agent = above.agent AND below.parent = above.native_id
                       WHERE below.parent <> ''),
               places(repo, at_ms) AS (
                   SELECT repo, started_ms FROM family CROSS JOIN sessions USING (id)
                   UNION SELECT harvested.repo, started_ms FROM family CROSS JOIN sessions USING (id)
                       CROSS JOIN harvested ON session_id = family.id),
               near(id, repo, branch, opening, at_ms) AS (
                   SELECT id, sessions.repo, branch, substr(task, 1, :opening), started_ms
                       FROM places CROSS JOIN sessions ON sessions.repo = places.repo
                           AND started_ms BETWEEN places.at_ms AND places.at_ms + :soon_ms
                       WHERE sessions.repo <> ''
                   UNION SELECT later.id, near.repo, near.branch, near.opening, later.started_ms
                       FROM near CROSS JOIN sessions AS later ON later.repo = near.repo
                           AND later.started_ms BETWEEN near.at_ms AND near.at_ms + :soon_ms
                       WHERE later.branch = near.branch AND substr(later.task, 1, :opening) = near.opening),
               told(id) AS (
                   SELECT id FROM family UNION SELECT id FROM near
                   UNION SELECT below.id FROM told CROSS JOIN sessions AS above ON above.id = told.id
                       CROSS JOIN sessions AS below ON below.agent = above.agent AND below.parent = above.native_id
                       WHERE below.parent <> '')
               SELECT id FROM told ORDER BY id"""
    values = {"ids": json_list(session_ids), "soon_ms": soon_ms, "opening": opening}
    return [row[0] for row in db.execute(query, values)]


def forget_harvest(db: apsw.Connection) -> None:
    """Every session is to be looked at again."""
    db.execute("UPDATE harvested SET version = ''")


def touch_all(db: apsw.Connection) -> None:
    """Every matter is to be concluded again."""
    db.execute("INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM sightings")
    db.execute("INSERT OR IGNORE INTO touched SELECT DISTINCT harvester, matter FROM drafts")


def matters_touched(db: apsw.Connection) -> list[MatterKey]:
    return [MatterKey(*row) for row in db.execute("SELECT harvester, matter FROM touched ORDER BY harvester, matter")]


def sightings_of(db: apsw.Connection, matter: MatterKey, most_telling: int, most_others: int) -> list[SightingRow]:
    """The newest of a matter, with all that are as old as the last of them; nothing where none is telling."""
    telling = _newest(db, matter, most_telling, is_telling=True)
    return telling + _newest(db, matter, most_others, is_telling=False) if telling else []


def all_sightings(db: apsw.Connection, harvester: str) -> Iterator[SightingRow]:
    """All that one of those who look has seen, matter by matter, in order of time."""
    query = f"""SELECT {columns_of(SightingRow)} FROM sightings WHERE harvester = ?
                ORDER BY matter, is_telling, at_ms, session_id, ordinal"""  # noqa: S608
    return (SightingRow(*row) for row in db.execute(query, (harvester,)))


def _newest(db: apsw.Connection, matter: MatterKey, most: int, *, is_telling: bool) -> list[SightingRow]:
    side = "harvester = :harvester AND matter = :name AND is_telling = :is_telling"
    query = f"""SELECT {columns_of(SightingRow)} FROM sightings WHERE {side} AND at_ms >= ifnull(
                    (SELECT at_ms FROM sightings WHERE {side} ORDER BY at_ms DESC LIMIT 1 OFFSET :most - 1),
                    (SELECT min(at_ms) FROM sightings WHERE {side}))
                ORDER BY session_id, ordinal"""  # noqa: S608
    values = {**matter._asdict(), "is_telling": is_telling, "most": most}
    return [SightingRow(*row) for row in db.execute(query, values)]


def put_drafts(db: apsw.Connection, matter: MatterKey, rows: Iterable[DraftRow]) -> None:
    """Replaces what was concluded in a matter, which is then no longer touched. Where something else follows now, the
    items are to be made again."""
    query = f"SELECT {columns_of(DraftRow)} FROM drafts WHERE harvester = ? AND matter = ?"  # noqa: S608
    before = {row.id: row for row in (DraftRow(*row) for row in db.execute(query, matter))}
    after = {row.id: row for row in rows}
    gone, new = set(before.values()) - set(after.values()), set(after.values()) - set(before.values())
    _unsettle_drafts(db, gone)
    for row in gone:
        db.execute("DELETE FROM drafts WHERE harvester = ? AND matter = ? AND id = ?", (*matter, row.id))
    db.executemany(insert_into("drafts", columns_of(DraftRow)), sorted(new))
    _unsettle_drafts(db, new)
    db.execute("DELETE FROM touched WHERE harvester = ? AND matter = ?", matter)


def _unsettle_drafts(db: apsw.Connection, rows: Iterable[DraftRow]) -> None:
    """What is about the same in several scopes may hold everywhere, or what does may take it in."""
    unsettle(db, {row.scope for row in rows})
    query = """INSERT OR IGNORE INTO unsettled SELECT 'global' FROM drafts
               WHERE about = ? AND scope <> ? AND (is_general OR scope = 'global') LIMIT 1"""
    db.executemany(query, ((row.about, row.scope) for row in rows))


def all_drafts(db: apsw.Connection) -> Iterator[DraftRow]:
    query = f"SELECT {columns_of(DraftRow)} FROM drafts ORDER BY harvester, matter, id"  # noqa: S608
    return (DraftRow(*row) for row in db.execute(query))


def drafts_named(db: apsw.Connection, ids: Iterable[str]) -> Iterator[DraftRow]:
    query = f"""SELECT {columns_of(DraftRow)} FROM drafts WHERE id IN (SELECT value FROM json_each(?))
                ORDER BY harvester, matter, id"""  # noqa: S608
    return (DraftRow(*row) for row in db.execute(query, (json_list(ids),)))


def drafts_in(db: apsw.Connection, scopes: Iterable[str]) -> Iterator[DraftRow]:
    """Drafts of these scopes, in a stable order."""
    query = f"""SELECT {columns_of(DraftRow)} FROM drafts WHERE scope IN (SELECT value FROM json_each(?))
                ORDER BY harvester, matter, id"""  # noqa: S608
    return (DraftRow(*row) for row in db.execute(query, (json_list(scopes),)))


def drafts_with(db: apsw.Connection, scopes: Iterable[str], *, is_everywhere: bool) -> Iterator[DraftRow]:
    """The same, with all that are about the same elsewhere; if what holds everywhere is meant too, with all that may
    and are about the same in several scopes."""
    query = f"""SELECT {columns_of(DraftRow)} FROM drafts WHERE about IN (
                    SELECT about FROM drafts WHERE scope IN (SELECT value FROM json_each(:scopes))
                    {_IN_SEVERAL if is_everywhere else ""})
                ORDER BY harvester, matter, id"""  # noqa: S608
    return (DraftRow(*row) for row in db.execute(query, {"scopes": json_list(scopes)}))


def are_drafted(db: apsw.Connection, ids: Iterable[str]) -> bool:
    """Whether one of these is concluded anywhere."""
    query = "SELECT 1 FROM drafts WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1"
    return db.execute(query, (json_list(ids),)).fetchone() is not None


def unsettle(db: apsw.Connection, scopes: Iterable[str]) -> None:
    """The items of these scopes are to be made again."""
    db.executemany("INSERT OR IGNORE INTO unsettled (scope) VALUES (?)", ((scope,) for scope in sorted(scopes)))


def scopes_to_settle(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT scope FROM unsettled ORDER BY scope")]


def same_tasks(db: apsw.Connection, session: int, soon_ms: int, opening: int) -> list[SameTask]:
    """The series that a session belongs to, the earliest first: all that stand at the root of theirs and begin with the
    same characters, without a longer pause between two than this."""
    query = """WITH RECURSIVE own AS (
                   SELECT repo, branch, substr(task, 1, :opening) AS opening, started_ms FROM sessions
                   WHERE id = :session),
               series(at_ms) AS (
                   SELECT started_ms FROM own
                   UNION SELECT others.started_ms FROM series CROSS JOIN own CROSS JOIN sessions AS others
                       ON others.repo = own.repo
                           AND others.started_ms BETWEEN series.at_ms - :soon_ms AND series.at_ms + :soon_ms
                   WHERE others.branch = own.branch AND substr(others.task, 1, :opening) = own.opening)
               SELECT others.id, others.native_id, others.started_ms, others.task FROM own CROSS JOIN sessions AS others
                   ON others.repo = own.repo AND others.started_ms
                       BETWEEN (SELECT min(at_ms) FROM series) AND (SELECT max(at_ms) FROM series)
               WHERE others.branch = own.branch AND substr(others.task, 1, :opening) = own.opening
                   AND NOT EXISTS (SELECT 1 FROM sessions AS above WHERE above.agent = others.agent
                       AND above.native_id = others.parent AND above.id <> others.id)
               ORDER BY others.started_ms, others.native_id, others.id"""
    values = {"session": session, "soon_ms": soon_ms, "opening": opening}
    return [SameTask(*row) for row in db.execute(query, values)]


class SeenRow(NamedTuple):
    """What a harvester saw in a session."""

    session_id: int
    body: bytes
    ref: bytes  # how evidence names the session; empty: to be made again


def sightings_by(db: apsw.Connection, harvester: str, version: str) -> Iterator[SeenRow]:
    """What a harvester has seen in all sessions that were looked at by the harvesters of this version."""
    query = """SELECT sightings.session_id, body, ref FROM sightings CROSS JOIN harvested USING (session_id)
               WHERE harvester = :harvester AND version = :version"""
    return (SeenRow(*row) for row in db.execute(query, {"harvester": harvester, "version": version}))
