"""Rows of files: what was read from where, and how far; which originals the archive holds, which are being dropped,
which were, which are pinned.

Whether an original may go is decided elsewhere; what is asked here is what that takes: that every session with a part
in it has a digest, and that none of them is pinned.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.captured import CAPTURE_VERSION, ORDINAL_BITS, Captured
from afterwit.model.readings import Problem
from afterwit.model.times import iso_from_ms
from afterwit.store.archive import ArchiveName, archive_name
from afterwit.store.database import columns_of, json_list, only_row
from afterwit.store.rows.parts import part_actions, part_events, part_notes, part_spends, parts_of_file, span

DAMAGED = "damaged"  # the state of a file that the archive does not hold as it should
REMEDY = (
    "If the agent still has the file, the next `afterwit learn` reads it again; else restore the archived file from a"
    " backup and run `afterwit store rebuild`, or go on without it by `afterwit store rebuild --accept-archive`."
)


class FileRow(msgspec.Struct, frozen=True):
    """One generation of one file of an agent."""

    id: int
    agent: str
    key: bytes
    generation: int
    path: str
    role: str
    is_live: int
    state: str
    error: str
    size_bytes: int
    mtime_ns: int
    inode: int
    companions: str
    held_bytes: int
    sha256: str
    cursor: int
    resume: bytes | None
    known: str
    unknown: str
    dropped_bytes: int
    dropped_ms: int | None

    @property
    def object_name(self) -> ArchiveName:
        """The name of what the archive holds of it."""
        return archive_name(self.key, self.generation)

    @property
    def is_dropped(self) -> bool:
        """Whether the original was given up for space; then the archive holds its remains."""
        return self.dropped_ms is not None

    @property
    def has_object(self) -> bool:
        """Whether the archive holds something of it: the original or, of a transcript, its remains."""
        return self.held_bytes > 0 or (self.is_dropped and self.role == "transcript")


_COLUMNS = columns_of(FileRow)
_NAME = "replace(path, rtrim(path, replace(path, '/', '')), '')"  # the last part of a path, as an index has it


class FileStamp(NamedTuple):
    """What is needed to tell whether a file has changed."""

    size_bytes: int
    mtime_ns: int
    inode: int
    companions: str
    state: str


def file_key(agent: str, path: str) -> bytes:
    """The identity of a file: a hash, because its path may hold anything."""
    return hashlib.blake2b(f"{agent}\0{path}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def transcript_stamps(db: apsw.Connection, agent: str) -> dict[bytes, tuple[int, int, int]]:
    """Size, time and inode of all transcripts of which nothing is to be tried again; two indexes tell."""
    query = """SELECT key, size_bytes, mtime_ns, inode FROM files
               WHERE agent = ? AND is_live AND state NOT IN ('failed', ?)
               AND key NOT IN (SELECT key FROM files WHERE role <> 'transcript')"""
    return {key: (size, mtime_ns, inode) for key, size, mtime_ns, inode in db.execute(query, (agent, DAMAGED))}


def file_stamp(db: apsw.Connection, key: bytes) -> FileStamp | None:
    row = db.execute(f"SELECT {columns_of(FileStamp)} FROM files WHERE key = ? AND is_live", (key,)).fetchone()  # noqa: S608
    return FileStamp(*row) if row else None


def live_file(db: apsw.Connection, key: bytes) -> FileRow | None:
    return next(_files(db, "WHERE key = ? AND is_live", (key,)), None)


def file_by_id(db: apsw.Connection, file_id: int) -> FileRow:
    return FileRow(*only_row(db, f"SELECT {_COLUMNS} FROM files WHERE id = ?", (file_id,)))  # noqa: S608


class FileGeneration(NamedTuple):
    """What names an archived object."""

    key: bytes
    generation: int


def generation_by_id(db: apsw.Connection, file_id: int) -> FileGeneration:
    query = f"SELECT {columns_of(FileGeneration)} FROM files WHERE id = ?"  # noqa: S608
    return FileGeneration(*only_row(db, query, (file_id,)))


def files_by_id(db: apsw.Connection, ids: Iterable[int]) -> dict[int, FileRow]:
    """Several at once; those that are not there are left out."""
    wanted = json_list(ids)
    return {row.id: row for row in _files(db, "WHERE id IN (SELECT value FROM json_each(?))", (wanted,))}


def file_generation(db: apsw.Connection, key: bytes, generation: int) -> FileRow | None:
    which = "WHERE key = ? AND generation = ? AND held_bytes + dropped_bytes"
    return next(_files(db, which, (key, generation)), None)


def earlier_generations(db: apsw.Connection, key: bytes) -> list[FileRow]:
    """What is kept of a file as it was before it was rewritten."""
    return list(_files(db, "WHERE key = ? AND NOT is_live ORDER BY generation", (key,)))


def files_damaged(db: apsw.Connection) -> list[FileRow]:
    """Those of which a run found that the archive does not hold them as it should."""
    return list(_files(db, "WHERE state = ? ORDER BY key, generation", (DAMAGED,)))


def object_after(db: apsw.Connection, file_id: int) -> FileRow | None:
    """The first file after this one of which the archive holds something."""
    which = "WHERE id > ? AND (held_bytes > 0 OR dropped_ms AND role = 'transcript') ORDER BY id LIMIT 1"
    return next(_files(db, which, (file_id,)), None)


def forget_companion(db: apsw.Connection, row: FileRow) -> None:
    """It counts as changed, wherever it belongs: so its transcript is read again with it."""
    db.execute("UPDATE files SET size_bytes = 0, mtime_ns = 0 WHERE id = ?", (row.id,))
    db.execute("UPDATE files SET companions = '' WHERE agent = ? AND companions <> ''", (row.agent,))


def all_files(db: apsw.Connection) -> list[FileRow]:
    return list(_files(db, "ORDER BY key, generation"))


def files_named(db: apsw.Connection, name: str) -> list[FileRow]:
    """Archived transcripts with this name, in whatever folder."""
    which = f"WHERE {_NAME} = ? AND held_bytes > 0 AND role = 'transcript' ORDER BY key, generation"
    return list(_files(db, which, (name,)))


def _files(db: apsw.Connection, which: str, values: Any = None) -> Iterator[FileRow]:
    return (FileRow(*row) for row in db.execute(f"SELECT {_COLUMNS} FROM files {which}", values))  # noqa: S608


def add_file(db: apsw.Connection, agent: str, key: bytes, generation: int, path: str, role: str) -> int:
    """A new file, nothing of it read yet."""
    query = """INSERT INTO files
               (agent, key, generation, path, role, is_live, state, size_bytes, mtime_ns, inode, held_bytes)
               VALUES (?, ?, ?, ?, ?, 1, 'empty', 0, 0, 0, 0)"""
    db.execute(query, (agent, key, generation, path, role))
    return db.last_insert_rowid()


def note_stat(db: apsw.Connection, file_id: int, size_bytes: int, mtime_ns: int, inode: int, companions: str) -> None:
    query = "UPDATE files SET size_bytes = ?, mtime_ns = ?, inode = ?, companions = ? WHERE id = ?"
    db.execute(query, (size_bytes, mtime_ns, inode, companions, file_id))


def note_state(db: apsw.Connection, file_id: int, state: str, error: str = "") -> None:
    db.execute("UPDATE files SET state = ?, error = ? WHERE id = ?", (state, error, file_id))


def note_generation(db: apsw.Connection, file_id: int, generation: int) -> None:
    """The archive keeps what is read of the file under another generation."""
    db.execute("UPDATE files SET generation = ? WHERE id = ?", (generation, file_id))


def note_held(db: apsw.Connection, file_id: int, held_bytes: int, sha256: str) -> None:
    """What the archive holds of the file."""
    db.execute("UPDATE files SET held_bytes = ?, sha256 = ? WHERE id = ?", (held_bytes, sha256, file_id))


def note_reading(
    db: apsw.Connection,
    file_id: int,
    cursor: int,
    resume: bytes,
    known_counts: dict[str, int],
    unknown_counts: dict[str, int],
) -> None:
    """How far records were read, and which types there were."""
    query = "UPDATE files SET cursor = ?, resume = ?, known = ?, unknown = ?, capture_version = ? WHERE id = ?"
    db.execute(query, (cursor, resume, _counts(known_counts), _counts(unknown_counts), CAPTURE_VERSION, file_id))


def files_captured_before(db: apsw.Connection, version: int) -> list[int]:
    """Archived transcripts whose rows were made by an older capture."""
    query = """SELECT id FROM files INDEXED BY files_by_capture
               WHERE role = 'transcript' AND held_bytes > 0 AND capture_version < ?
               AND EXISTS (SELECT 1 FROM parts WHERE parts.file_id = files.id) ORDER BY id"""
    return [row[0] for row in db.execute(query, (version,))]


def retire_file(db: apsw.Connection, file_id: int) -> None:
    """The file was rewritten: this generation is history."""
    db.execute("UPDATE files SET is_live = 0 WHERE id = ?", (file_id,))


def delete_file(db: apsw.Connection, file_id: int) -> None:
    for table in ("problems", "copies", "files"):
        column = "id" if table == "files" else "file_id"
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (file_id,))  # noqa: S608
    db.execute("DELETE FROM copies WHERE owner_file_id = ?", (file_id,))


def note_removable(db: apsw.Connection, name: str) -> None:
    """Marks an archive object for removal after the commit."""
    db.execute("INSERT OR IGNORE INTO doomed VALUES (?)", (name,))


def removable_objects(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT name FROM doomed ORDER BY name")]


def forget_removable(db: apsw.Connection, name: str) -> None:
    db.execute("DELETE FROM doomed WHERE name = ?", (name,))


def _counts(counts: dict[str, int]) -> str:
    return msgspec.json.encode(counts, order="deterministic").decode()


def counts_in(text: str) -> dict[str, int]:
    """The types of records in a column of counts."""
    return msgspec.json.decode(text, type=dict[str, int])


def why_dropped(file: FileRow) -> str:
    """For whoever asks for an original that was given up."""
    day = iso_from_ms(file.dropped_ms or 0)[:10]
    return (
        f"The original of {file.path} was dropped on {day} to stay within the storage budget"
        f" ({file.dropped_bytes:,} bytes, SHA-256 {file.sha256})."
    )


def files_by_session(db: apsw.Connection) -> dict[int, list[bytes]]:
    """The keys of the transcripts, as they are now, that each session has a part in; the one with its beginning
    first."""
    query = """SELECT parts.session_id, files.key FROM parts JOIN files ON files.id = parts.file_id
               WHERE files.is_live ORDER BY parts.session_id, parts.precedence"""
    by_session: dict[int, list[bytes]] = {}
    for session, key in db.execute(query):
        by_session.setdefault(session, []).append(key)
    return by_session


EVICTED, LOST = "evicted", "lost"  # given up after it was analysed, and before


class RawFile(NamedTuple):
    """An original that the archive holds."""

    id: int
    key: bytes
    generation: int
    path: str
    role: str
    is_live: int
    mtime_ns: int
    sessions: int  # that have a part in it
    undigested: int  # of these, without a digest of what they are now
    pinned: int
    ended_ms: int | None


class DroppedFile(NamedTuple):
    """A transcript whose original was given up."""

    id: int
    agent: str
    path: str
    state: str
    dropped_bytes: int
    dropped_ms: int
    sha256: str


class SessionName(NamedTuple):
    id: int
    native_id: str


def original_bytes_held(db: apsw.Connection) -> int:
    """Unpacked. The archive takes less."""
    return int(db.execute("SELECT original_bytes FROM held_files").get)


def raw_files(db: apsw.Connection) -> list[RawFile]:
    query = """SELECT files.id, files.key, files.generation, files.path, files.role, files.is_live, files.mtime_ns,
                   count(parts.id),
                   count(parts.id) FILTER (WHERE sessions.is_digested <> 1 OR digests.session_id IS NULL),
                   count(pins.native_id), max(sessions.ended_ms)
               FROM files LEFT JOIN parts ON parts.file_id = files.id
               LEFT JOIN sessions ON sessions.id = parts.session_id
               LEFT JOIN digests ON digests.session_id = sessions.id
               LEFT JOIN pins ON pins.agent = sessions.agent AND pins.native_id = sessions.native_id
               WHERE files.held_bytes > 0 GROUP BY files.id ORDER BY files.key, files.generation"""
    return [RawFile(*row) for row in db.execute(query)]


def files_dropped(db: apsw.Connection) -> list[DroppedFile]:
    """The latest first."""
    query = f"""SELECT {columns_of(DroppedFile)} FROM files
                WHERE dropped_ms IS NOT NULL AND role = 'transcript' ORDER BY dropped_ms DESC, path, generation"""  # noqa: S608
    return [DroppedFile(*row) for row in db.execute(query)]


def files_lost_unread(db: apsw.Connection) -> list[int]:
    """Transcripts that were given up without having been analysed, and of which no session is known."""
    query = """SELECT id FROM files WHERE role = 'transcript' AND is_live AND state = :lost
               AND NOT EXISTS (SELECT 1 FROM parts WHERE parts.file_id = files.id) ORDER BY id"""
    return [row[0] for row in db.execute(query, {"lost": LOST})]


def sessions_in(db: apsw.Connection, file_ids: Iterable[int]) -> dict[int, list[SessionName]]:
    """The sessions that have a part in each of the files."""
    query = """SELECT parts.file_id, sessions.id, sessions.native_id FROM json_each(?) AS wanted
               JOIN parts ON parts.file_id = wanted.value JOIN sessions ON sessions.id = parts.session_id
               ORDER BY parts.file_id, sessions.native_id"""
    by_file: dict[int, list[SessionName]] = {}
    for file_id, *name in db.execute(query, (json_list(file_ids),)):
        by_file.setdefault(file_id, []).append(SessionName(*name))
    return by_file


def note_leaving(db: apsw.Connection, file_ids: Iterable[int]) -> None:
    db.executemany("INSERT OR IGNORE INTO leaving (file_id) VALUES (?)", ((file_id,) for file_id in file_ids))


def files_leaving(db: apsw.Connection) -> list[int]:
    return [row[0] for row in db.execute("SELECT file_id FROM leaving ORDER BY file_id")]


def clear_leaving(db: apsw.Connection) -> None:
    db.execute("DELETE FROM leaving")


class Drop(NamedTuple):
    """How an original went."""

    state: str
    dropped_bytes: int
    dropped_ms: int
    sha256: str


def note_dropped(db: apsw.Connection, file_id: int, drop: Drop, keys: bytes | None) -> None:
    """The archive does not hold the original any more. `keys` take the place of what a reading would go on from."""
    query = """UPDATE files SET state = :state, error = '', held_bytes = 0, dropped_bytes = :dropped_bytes,
               dropped_ms = :dropped_ms, sha256 = :sha256, resume = :keys WHERE id = :id"""
    db.execute(query, {**drop._asdict(), "keys": keys, "id": file_id})


def rows_of_file(db: apsw.Connection, file_id: int) -> Captured:
    """Everything that was read out of a file, part by part."""
    parts = parts_of_file(db, file_id)
    numbered = list(enumerate(parts))
    return Captured(
        parts=[part.facts for part in parts],
        events=[row for number, part in numbered for row in part_events(db, part.id, number)],
        actions=[row for number, part in numbered for row in part_actions(db, part.id, number)],
        spends=[row for number, part in numbered for row in part_spends(db, part.id, number)],
        texts=[],
        notes=[row for number, part in numbered for row in part_notes(db, part.id, number)],
        problems=_problems(db, file_id),
        claims=[[] for _ in parts],
        resume=b"",
    )


def texts_kept(db: apsw.Connection, part_id: int) -> dict[int, str]:
    """What is left of the texts of a part whose original is gone, by the ordinal of the event."""
    query = """SELECT place, text FROM notes WHERE part_id = :part AND kind IN ('prompt', 'reply', 'summary')
               UNION ALL
               SELECT (SELECT max(id & :mask) FROM events WHERE id >= :first AND id < :end AND kind = 'reply'), text
               FROM notes WHERE part_id = :part AND kind = 'ending'"""
    values = {**span(part_id), "mask": (1 << ORDINAL_BITS) - 1}
    return {place: text for place, text in db.execute(query, values) if place is not None}


def page_bytes(db: apsw.Connection) -> tuple[int, int]:
    """(bytes of pages that hold nothing, bytes of all pages) of the database."""
    query = """SELECT page_size, freelist_count, page_count
               FROM pragma_page_size, pragma_freelist_count, pragma_page_count"""
    size, free, count = only_row(db, query)
    return size * free, size * count


def _problems(db: apsw.Connection, file_id: int) -> list[Problem]:
    query = "SELECT offset, length, reason FROM problems WHERE file_id = ? ORDER BY offset, reason"
    return [Problem(*row) for row in db.execute(query, (file_id,))]


def put_pin(db: apsw.Connection, agent: str, native_id: str) -> None:
    db.execute("INSERT OR IGNORE INTO pins (agent, native_id) VALUES (?, ?)", (agent, native_id))


def delete_pin(db: apsw.Connection, agent: str, native_id: str) -> None:
    db.execute("DELETE FROM pins WHERE agent = ? AND native_id = ?", (agent, native_id))


def is_pinned(db: apsw.Connection, agent: str, native_id: str) -> bool:
    query = "SELECT EXISTS (SELECT 1 FROM pins WHERE agent = ? AND native_id = ?)"
    return bool(db.execute(query, (agent, native_id)).get)


def pins(db: apsw.Connection) -> set[tuple[str, str]]:
    """All of them, as (agent, native id)."""
    return {(agent, native_id) for agent, native_id in db.execute("SELECT agent, native_id FROM pins")}
