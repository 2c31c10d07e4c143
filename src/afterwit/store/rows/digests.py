"""Rows of digests: one packed record per session, and which sessions wait for theirs."""

from collections.abc import Iterator
from typing import NamedTuple

import apsw

from afterwit.store.checksums import digest_checksum
from afterwit.store.database import columns_of, only_row


class DigestRow(NamedTuple):
    session_id: int
    version: int
    body: bytes


class DigestSizes(NamedTuple):
    digests: int
    packed_bytes: int


def undigested(db: apsw.Connection, version: int) -> list[int]:
    """Sessions without a digest of this version, in the order in which they began."""
    query = """SELECT sessions.id FROM sessions LEFT JOIN digests ON digests.session_id = sessions.id
               WHERE sessions.is_digested = 0 OR digests.version IS NOT ? ORDER BY sessions.started_ms, sessions.id"""
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


def digest_sizes(db: apsw.Connection) -> DigestSizes:
    return DigestSizes(*only_row(db, "SELECT count(*), ifnull(sum(length(body)), 0) FROM digests"))
