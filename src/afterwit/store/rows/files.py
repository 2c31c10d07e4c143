"""Rows of files: what was read from where, and how far."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.times import iso_from_ms
from afterwit.store.archive import ArchiveName, archive_name
from afterwit.store.database import columns_of, json_list, only_row

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
    def archived_as(self) -> ArchiveName:
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


def settled_transcripts(db: apsw.Connection, agent: str) -> dict[bytes, tuple[int, int, int]]:
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


def damaged_files(db: apsw.Connection) -> list[FileRow]:
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


def captured_before(db: apsw.Connection, version: int) -> list[int]:
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
