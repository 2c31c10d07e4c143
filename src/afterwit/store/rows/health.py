"""What `doctor` and `store` ask: what was read of which transcript, what could not be read, how many rows there are,
and quick checks of the store itself.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.errors import DamagedError
from afterwit.store.archive import Archive, ArchiveName, archive_name
from afterwit.store.database import columns_of, only_row
from afterwit.store.rows.files import DAMAGED, counts_in, files_by_id, removable_objects

_NONE = "{}"  # as a column of counts has it
_HAS_OBJECT = "(held_bytes > 0 OR (dropped_ms IS NOT NULL AND role = 'transcript'))"
_OBJECTS = f"""SELECT id, key, generation, held_bytes > 0, {_HAS_OBJECT} FROM files
    WHERE {_HAS_OBJECT} OR state = :damaged ORDER BY key, generation"""  # noqa: S608


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
    known: int  # records
    unknown: dict[str, int]  # by type


class PartFigures(msgspec.Struct, frozen=True):
    """What of a part's facts is counted, which is quicker read than all of them."""

    versions: list[str] = []
    first_ms: int | None = None
    ended_ms: int | None = None
    replies: int = 0
    events: int = 0
    copied: int = 0
    calls: int = 0


class AgentTotals(NamedTuple):
    """What the sessions of one agent come to."""

    sessions: int
    partial: int
    events: int
    actions: int
    last_ms: int | None


class ArchiveState(NamedTuple):
    """What lies in the archive, by names and sizes: no object is opened."""

    original_bytes: int  # that originals take, packed, companions included
    remains_bytes: int  # of originals that were given up
    missing: list[str]  # paths of what should be there and is not, or is empty
    unknown: list[ArchiveName]  # without a row

    @property
    def packed_bytes(self) -> int:
        return self.original_bytes + self.remains_bytes


def transcript_rows(db: apsw.Connection) -> Iterator[TranscriptRow]:
    query = f"""SELECT known, unknown, {columns_of(TranscriptRow, "known", "unknown", "read_bytes", "problems")},
                max(held_bytes, dropped_bytes), (SELECT count(*) FROM problems WHERE file_id = files.id)
                FROM files WHERE role = 'transcript' AND is_live ORDER BY agent, mtime_ns, id"""  # noqa: S608
    for known_counts, unknown_counts, *row in db.execute(query):
        unknown = counts_in(unknown_counts) if unknown_counts != _NONE else {}
        yield TranscriptRow._make((*row, sum(counts_in(known_counts).values()), unknown))


def parts_by_file(db: apsw.Connection) -> dict[int, list[PartFigures]]:
    """What each file says of its sessions."""
    by_file: dict[int, list[PartFigures]] = {}
    decode = msgspec.msgpack.Decoder(PartFigures).decode
    for file_id, facts in db.execute("SELECT file_id, facts FROM parts ORDER BY id"):
        by_file.setdefault(file_id, []).append(decode(facts))
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
    row = next(problem_rows(db, 1, agent), None)
    return f"{row[4]}, in {row[1]}" if row else ""


def database_bytes(path: Path) -> int:
    """With the write-ahead log. Only `stat`s them: opening would drop SQLite's locks."""
    return sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.exists())


def archive_state(db: apsw.Connection, archive: Archive) -> ArchiveState:
    """One look at the folders of the archive, and one at an index of the files."""
    sizes, original_bytes, remains_bytes, missing = archive.sizes(), 0, 0, list[int]()
    for file_id, key, generation, has_original, has_object in db.execute(_OBJECTS, {"damaged": DAMAGED}):
        size = sizes.pop(archive_name(key, generation), 0)
        if has_original:
            original_bytes += size
        elif has_object:
            remains_bytes += size
        if has_object and not size:
            missing.append(file_id)
    paths = {row.id: row.path for row in files_by_id(db, missing).values()}
    unknown = sorted(sizes.keys() - removable_objects(db))
    return ArchiveState(original_bytes, remains_bytes, [paths[file_id] for file_id in missing], unknown)


def latest_held(db: apsw.Connection, key: str) -> int:
    """The newest generation of a file whose original is archived, by the hexadecimal digits of its key; -1 where none
    is."""
    query = "SELECT ifnull(max(generation), -1) FROM files WHERE key = unhex(?) AND held_bytes > 0"
    return int(db.execute(query, (key,)).get)


def home_label(archive: Archive, row: TranscriptRow) -> str | None:
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


def problem_rows(db: apsw.Connection, limit: int, agent: str = "") -> Iterator[tuple[Any, ...]]:
    """(agent, path, offset, length, reason), of one agent or of all; without an offset, where the whole file is
    concerned."""
    query = """SELECT agent, path, offset, length, reason FROM (
                   SELECT agent, path, offset, length, reason, mtime_ns FROM problems JOIN files ON files.id = file_id
                   UNION ALL SELECT agent, path, NULL, NULL, error, mtime_ns FROM files
                       WHERE state IN ('failed', 'damaged'))
               WHERE :agent IN ('', agent) ORDER BY mtime_ns DESC, agent, path, offset LIMIT :limit"""
    yield from db.execute(query, {"agent": agent, "limit": limit or -1})
