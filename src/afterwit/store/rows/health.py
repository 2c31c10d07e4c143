"""What `doctor` and `store` ask: what was read of which transcript, what could not be read, how many rows there are,
and quick checks of the store itself.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.captured import PartFacts
from afterwit.model.errors import DamagedError
from afterwit.store.archive import Archive, archive_name
from afterwit.store.database import columns_of, only_row
from afterwit.store.rows.files import counts_in


class RowCounts(msgspec.Struct, frozen=True, kw_only=True):
    files: int
    sessions: int
    events: int
    actions: int
    failures: int
    problems: int


class TranscriptRow(NamedTuple):
    """A live transcript, as far as it was read."""

    id: int
    agent: str
    key: bytes
    generation: int
    path: str
    state: str
    error: str
    size_bytes: int
    mtime_ns: int
    inode: int
    companions: str
    read_bytes: int  # that the archive holds, or held before the original was given up
    problems: int
    known: dict[str, int]
    unknown: dict[str, int]


class AgentTotals(NamedTuple):
    """What the sessions of one agent come to."""

    sessions: int
    partial: int
    events: int
    actions: int
    last_ms: int | None


class ArchiveState(NamedTuple):
    packed_bytes: int
    missing: list[str]  # paths of what should be there and is not, or is empty


def transcript_rows(db: apsw.Connection) -> Iterator[TranscriptRow]:
    query = f"""SELECT known, unknown, {columns_of(TranscriptRow, "known", "unknown", "read_bytes", "problems")},
                max(held_bytes, dropped_bytes), (SELECT count(*) FROM problems WHERE file_id = files.id)
                FROM files WHERE role = 'transcript' AND is_live ORDER BY agent, mtime_ns, id"""  # noqa: S608
    for known_counts, unknown_counts, *row in db.execute(query):
        yield TranscriptRow._make((*row, counts_in(str(known_counts)), counts_in(str(unknown_counts))))


def parts_by_file(db: apsw.Connection) -> dict[int, list[PartFacts]]:
    """What each file says of its sessions."""
    by_file: dict[int, list[PartFacts]] = {}
    for file_id, facts in db.execute("SELECT file_id, facts FROM parts ORDER BY file_id, id"):
        by_file.setdefault(file_id, []).append(msgspec.msgpack.decode(facts, type=PartFacts))
    return by_file


def agent_totals(db: apsw.Connection) -> dict[str, AgentTotals]:
    query = """SELECT agent, count(*), total(is_partial), total(events), total(actions), max(ended_ms)
               FROM sessions GROUP BY agent"""
    return {
        agent: AgentTotals(sessions, int(partial), int(events), int(actions), last_ms)
        for agent, sessions, partial, events, actions, last_ms in db.execute(query)
    }


def newest_problem(db: apsw.Connection, agent: str) -> str:
    """The newest of what could not be read, with its file; "" if everything could."""
    query = """SELECT reason || ', in ' || path FROM (
                   SELECT path, reason, mtime_ns, offset FROM problems JOIN files ON files.id = file_id
                   WHERE agent = :agent
                   UNION ALL
                   SELECT path, error, mtime_ns, 0 FROM files WHERE agent = :agent AND state IN ('failed', 'damaged'))
               ORDER BY mtime_ns DESC, path, offset LIMIT 1"""
    row = db.execute(query, {"agent": agent}).fetchone()
    return str(row[0]) if row else ""


def quick_faults(db: apsw.Connection) -> list[str]:
    """What a quick look at the database's pages finds; nothing, if all is well."""
    try:
        return [str(row[0]) for row in db.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    except apsw.CorruptError as error:
        return [str(error)]


def database_bytes(path: Path) -> int:
    """With the write-ahead log. Only `stat`s them: opening would drop SQLite's locks."""
    return sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.exists())


def archive_state(db: apsw.Connection, archive: Archive) -> ArchiveState:
    """A `stat` of every object, without reading any."""
    packed_bytes, missing = 0, list[str]()
    query = """SELECT key, generation, path FROM files
               WHERE held_bytes > 0 OR (dropped_ms IS NOT NULL AND role = 'transcript') ORDER BY key, generation"""
    for key, generation, path in db.execute(query):
        size = archive.size(archive_name(key, generation))
        packed_bytes += size
        if not size:
            missing.append(path)
    return ArchiveState(packed_bytes, missing)


def archived_label(archive: Archive, row: TranscriptRow) -> str | None:
    """The label of the home that an archived transcript came from; None if the archive cannot say."""
    try:
        label: Any = archive.header(archive_name(row.key, row.generation)).get("label")
    except (OSError, DamagedError):
        return None
    return label if isinstance(label, str) else None


def count_rows(db: apsw.Connection) -> RowCounts:
    query = """SELECT (SELECT count(*) FROM files WHERE held_bytes > 0 OR dropped_ms IS NOT NULL),
               (SELECT count(*) FROM sessions),
               (SELECT count(*) FROM events), (SELECT count(*) FROM actions),
               (SELECT count(*) FROM actions WHERE status = 'failed'), (SELECT count(*) FROM problems)"""
    return msgspec.convert(dict(zip(RowCounts.__struct_fields__, only_row(db, query), strict=True)), RowCounts)


def problem_rows(db: apsw.Connection, limit: int) -> Iterator[tuple[Any, ...]]:
    """(agent, path, offset, length, reason); without an offset, where the whole file is concerned."""
    query = """SELECT agent, path, offset, length, reason FROM (
                   SELECT agent, path, offset, length, reason, mtime_ns FROM problems JOIN files ON files.id = file_id
                   UNION ALL SELECT agent, path, NULL, NULL, error, mtime_ns FROM files
                       WHERE state IN ('failed', 'damaged'))
               ORDER BY mtime_ns DESC, agent, path, offset LIMIT ?"""
    yield from db.execute(query, (limit or -1,))
