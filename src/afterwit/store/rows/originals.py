"""Rows about originals as a matter of space: which the archive holds, which are being dropped, which were, which are
pinned.

Whether an original may go is decided elsewhere; what is asked here is what that takes: that every session with a part
in it has a digest, and that none of them is pinned.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from afterwit.model.captured import ORDINAL_BITS, Captured, ProblemRow
from afterwit.store.database import columns_of, json_list, only_row
from afterwit.store.rows.parts import part_actions, part_events, part_notes, part_spends, parts_of_file, span

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


def dropped_files(db: apsw.Connection) -> list[DroppedFile]:
    """The latest first."""
    query = f"""SELECT {columns_of(DroppedFile)} FROM files
                WHERE dropped_ms IS NOT NULL AND role = 'transcript' ORDER BY dropped_ms DESC, path, generation"""  # noqa: S608
    return [DroppedFile(*row) for row in db.execute(query)]


def lost_unread(db: apsw.Connection) -> list[int]:
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


def leaving(db: apsw.Connection) -> list[int]:
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


def kept_texts(db: apsw.Connection, part_id: int) -> dict[int, str]:
    """What is left of the texts of a part whose original is gone, by the ordinal of the event."""
    query = """SELECT place, text FROM notes WHERE part_id = :part AND kind IN ('prompt', 'reply', 'summary')
               UNION ALL
               SELECT (SELECT max(id & :mask) FROM events WHERE id >= :first AND id < :end AND kind = 'reply'), text
               FROM notes WHERE part_id = :part AND kind = 'ending'"""
    values = {**span(part_id), "mask": (1 << ORDINAL_BITS) - 1}
    return {place: text for place, text in db.execute(query, values) if place is not None}


def unused_bytes(db: apsw.Connection) -> tuple[int, int]:
    """(bytes of pages that hold nothing, bytes of all pages) of the database."""
    query = """SELECT page_size, freelist_count, page_count
               FROM pragma_page_size, pragma_freelist_count, pragma_page_count"""
    size, free, count = only_row(db, query)
    return size * free, size * count


def _problems(db: apsw.Connection, file_id: int) -> list[ProblemRow]:
    query = "SELECT offset, length, reason FROM problems WHERE file_id = ? ORDER BY offset, reason"
    return [ProblemRow(*row) for row in db.execute(query, (file_id,))]


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
