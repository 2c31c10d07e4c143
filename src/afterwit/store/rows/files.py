"""Rows of files: what was read from where, and how far."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.times import iso_from_ms
from afterwit.store.database import one

DAMAGED = "damaged"  # the state of a file that the archive does not hold as it should
REMEDY = (
    "If the agent still has the file, the next `afterwit learn` reads it again; else restore the archived file from a"
    " backup and run `afterwit store rebuild`."
)
_COLUMNS = (
    "id, agent, key, generation, path, role, is_live, state, error, size_bytes, mtime_ns, inode, companions, "
    "held_bytes, sha256, cursor, resume, known, unknown, dropped_bytes, dropped_ms"
)


class FileRow(NamedTuple):
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
    def is_dropped(self) -> bool:
        """Whether the original was given up for space; then the archive holds its remains."""
        return self.dropped_ms is not None

    @property
    def has_object(self) -> bool:
        """Whether the archive holds something of it: the original or, of a transcript, its remains."""
        return self.held_bytes > 0 or (self.is_dropped and self.role == "transcript")


class Seen(NamedTuple):
    """What is needed to tell whether a file has changed."""

    size_bytes: int
    mtime_ns: int
    inode: int
    companions: str
    state: str


def file_key(agent: str, path: str) -> bytes:
    """The identity of a file: a hash, because its path may hold anything."""
    return hashlib.blake2b(f"{agent}\0{path}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def seen_files(db: apsw.Connection, agent: str) -> dict[bytes, Seen]:
    query = "SELECT key, size_bytes, mtime_ns, inode, companions, state FROM files WHERE agent = ? AND is_live"
    return {row[0]: Seen(*row[1:]) for row in db.execute(query, (agent,))}


def live_file(db: apsw.Connection, key: bytes) -> FileRow | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM files WHERE key = ? AND is_live", (key,)).fetchone()  # noqa: S608
    return FileRow(*row) if row else None


def file_by_id(db: apsw.Connection, file_id: int) -> FileRow:
    row = one(db, f"SELECT {_COLUMNS} FROM files WHERE id = ?", (file_id,))  # noqa: S608
    return FileRow(*row)


def files_by_id(db: apsw.Connection, ids: Iterable[int]) -> dict[int, FileRow]:
    """Several at once; those that are not there are left out."""
    query = f"SELECT {_COLUMNS} FROM files WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608
    rows = db.execute(query, (msgspec.json.encode(list(ids)).decode(),))
    return {row[0]: FileRow(*row) for row in rows}


def file_generation(db: apsw.Connection, key: bytes, generation: int) -> FileRow | None:
    query = f"SELECT {_COLUMNS} FROM files WHERE key = ? AND generation = ? AND held_bytes + dropped_bytes"  # noqa: S608
    row = db.execute(query, (key, generation)).fetchone()
    return FileRow(*row) if row else None


def earlier_generations(db: apsw.Connection, key: bytes) -> list[FileRow]:
    """What is kept of a file as it was before it was rewritten."""
    query = f"SELECT {_COLUMNS} FROM files WHERE key = ? AND NOT is_live ORDER BY generation"  # noqa: S608
    return [FileRow(*row) for row in db.execute(query, (key,))]


def damaged_files(db: apsw.Connection) -> list[FileRow]:
    """Those of which a run found that the archive does not hold them as it should."""
    query = f"SELECT {_COLUMNS} FROM files WHERE state = ? ORDER BY key, generation"  # noqa: S608
    return [FileRow(*row) for row in db.execute(query, (DAMAGED,))]


def all_files(db: apsw.Connection) -> list[FileRow]:
    rows = db.execute(f"SELECT {_COLUMNS} FROM files ORDER BY key, generation")  # noqa: S608
    return [FileRow(*row) for row in rows]


def files_named(db: apsw.Connection, name: str) -> list[FileRow]:
    """Archived transcripts with this name, in whatever folder."""
    query = f"""SELECT {_COLUMNS} FROM files WHERE held_bytes > 0 AND role = 'transcript'
                AND (path = :name OR path LIKE '%/' || :name) ORDER BY key, generation"""  # noqa: S608
    return [FileRow(*row) for row in db.execute(query, {"name": name})]


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
    db: apsw.Connection, file_id: int, cursor: int, resume: bytes, known: dict[str, int], unknown: dict[str, int]
) -> None:
    """How far records were read, and which types there were."""
    query = "UPDATE files SET cursor = ?, resume = ?, known = ?, unknown = ?, capture_version = ? WHERE id = ?"
    db.execute(query, (cursor, resume, _counts(known), _counts(unknown), CAPTURE_VERSION, file_id))


def captured_before(db: apsw.Connection, version: int) -> list[int]:
    """Archived transcripts whose rows were made by an older capture."""
    query = """SELECT id FROM files WHERE role = 'transcript' AND held_bytes > 0 AND capture_version < ?
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


def doom(db: apsw.Connection, name: str) -> None:
    """Marks an archive object for removal after the commit."""
    db.execute("INSERT OR IGNORE INTO doomed VALUES (?)", (name,))


def doomed(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT name FROM doomed ORDER BY name")]


def undoom(db: apsw.Connection, name: str) -> None:
    db.execute("DELETE FROM doomed WHERE name = ?", (name,))


def _counts(counts: dict[str, int]) -> str:
    return msgspec.json.encode(counts, order="deterministic").decode()


def why_gone(file: FileRow) -> str:
    """For whoever asks for an original that was given up."""
    day = iso_from_ms(file.dropped_ms or 0)[:10]
    return (
        f"The original of {file.path} was dropped on {day} to stay within the storage budget"
        f" ({file.dropped_bytes:,} bytes, SHA-256 {file.sha256})."
    )
