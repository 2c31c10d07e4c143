"""Rows of what was erased, and of what is left out: sessions that must not come back, and files that are passed over.

A session that was erased is known by a hash alone: its id may hold the name of a folder. A file that is left out has a
row without its path, so that it costs a glance until it changes, or what is left out does.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.store.database import columns_of, json_list, transaction
from afterwit.store.marks import mark, put_mark

LEFT_OUT = "left-out"  # the state of a file of which nothing is kept
EXCLUDED, ERASED, OWN = "excluded", "erased", "own"  # how many of its sessions, and why, as counts of its row
_UNFINISHED, _SETTINGS = "erasing", "exclude"
_KEY_BYTES = 16


def session_key(agent: str, native_id: str) -> bytes:
    """What stands for a session that was erased."""
    identity = f"{agent}\0{native_id}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(identity, digest_size=_KEY_BYTES, person=b"erased session").digest()


def keys_of_erased(db: apsw.Connection) -> frozenset[bytes]:
    return frozenset(row[0] for row in db.execute("SELECT key FROM erased"))


def put_erased(db: apsw.Connection, family: Sequence[bytes]) -> None:
    """A session and what belongs to it; the session itself comes first."""
    db.executemany("INSERT OR REPLACE INTO erased VALUES (?, ?)", ((key, family[0]) for key in family))


def delete_erased(db: apsw.Connection, keys: Iterable[bytes]) -> None:
    """With what belongs to them."""
    db.executemany("DELETE FROM erased WHERE ? IN (key, family)", ((key,) for key in keys))


def is_unfinished(db: apsw.Connection) -> bool:
    """Whether something was decided to be erased, and may still be there."""
    return bool(mark(db, _UNFINISHED))


def note_unfinished(db: apsw.Connection) -> None:
    put_mark(db, _UNFINISHED, "1")


def note_finished(db: apsw.Connection) -> None:
    db.execute("DELETE FROM marks WHERE name = ?", (_UNFINISHED,))


def forget_left_out(db: apsw.Connection, settings: str) -> None:
    """Has all files that were left out looked at again, if what is left out is another now, and the databases that
    sessions of it may lie in."""
    if mark(db, _SETTINGS) != settings:
        db.execute("DELETE FROM files WHERE state = ? OR role = 'source'", (LEFT_OUT,))
        db.execute("UPDATE files SET mtime_ns = -1 WHERE is_sifted AND is_live")
        put_mark(db, _SETTINGS, settings)


def put_left_out(db: apsw.Connection, file_id: int, counts: dict[str, int], keys: Iterable[bytes]) -> None:
    """Notes why a file is left out, and of which sessions it tells."""
    query = "UPDATE files SET state = ?, error = '', known = ?, resume = ? WHERE id = ?"
    known_counts = msgspec.json.encode(counts, order="deterministic").decode()
    db.execute(query, (LEFT_OUT, known_counts, b"".join(sorted(keys)), file_id))


def note_sifted(db: apsw.Connection, file_key: bytes) -> None:
    """Some of the sessions in this file are left out."""
    db.execute("UPDATE files SET is_sifted = 1 WHERE key = ? AND is_live", (file_key,))


def keys_left_out(db: apsw.Connection) -> frozenset[bytes]:
    """The sessions whose own logs are left out."""
    return _keys(row[0] for row in db.execute("SELECT resume FROM files WHERE state = ?", (LEFT_OUT,)))


def own_keys(db: apsw.Connection) -> frozenset[bytes]:
    """Those in which an agent read for us."""
    query = "SELECT resume FROM files WHERE state = ? AND json_extract(known, '$.own') > 0"
    return _keys(row[0] for row in db.execute(query, (LEFT_OUT,)))


def _keys(packed: Iterable[bytes | None]) -> frozenset[bytes]:
    joined = b"".join(keys or b"" for keys in packed)
    return frozenset(joined[at : at + _KEY_BYTES] for at in range(0, len(joined), _KEY_BYTES))


def count_excluded(db: apsw.Connection) -> int:
    """How many sessions lie in files that are left out because of the settings."""
    query = "SELECT ifnull(sum(json_extract(known, '$.excluded')), 0) FROM files WHERE state = ?"
    return int(db.execute(query, (LEFT_OUT,)).get)


def count_own(db: apsw.Connection) -> int:
    """How many sessions lie in files that are left out because an agent only read for us in them."""
    query = "SELECT ifnull(sum(json_extract(known, '$.own')), 0) FROM files WHERE state = ?"
    return int(db.execute(query, (LEFT_OUT,)).get)


class SessionPlace(NamedTuple):
    """A session that is stored, by what people leave out."""

    id: int
    agent: str
    native_id: str
    repo: str
    cwd: str


def places_of_sessions(db: apsw.Connection) -> list[SessionPlace]:
    query = f"SELECT {columns_of(SessionPlace)} FROM sessions ORDER BY id"  # noqa: S608
    return [SessionPlace(*row) for row in db.execute(query)]


def forget_hook_rows(db: apsw.Connection, sessions: Iterable[tuple[str, str]]) -> None:
    """Removes the calls that hooks saw in these sessions, each given as (agent, native id), and their pins."""
    for table, column in (("live_calls", "session"), ("pins", "native_id")):
        db.executemany(f"DELETE FROM {table} WHERE agent = ? AND {column} = ?", list(sessions))  # noqa: S608


def hook_sessions(db: apsw.Connection) -> list[tuple[str, str]]:
    """Of which hooks have told something, or that are pinned, as (agent, native id)."""
    query = "SELECT agent, session FROM live_calls UNION SELECT agent, native_id FROM pins"
    return list(db.execute(query))


def clear_decided(db: apsw.Connection) -> None:
    """Empties what follows from entries of the journal that can be changed by erasing, so that they can be applied
    again; and what is kept of hubs, which is fetched again: own lines there are then taken back."""
    readings = ("reading_requests", "reading_spends", "reading_rejections", "reading_failures")
    decided = ("item_decisions", "pattern_decisions", "skill_decisions")
    hubs = ("hub_lines", "hub_cursors")
    for table in ("checkouts", "draws", "exposures", *decided, *readings, *hubs):
        db.execute(f"DELETE FROM {table}")  # noqa: S608


def shred(db: apsw.Connection) -> bool:
    """Leaves no byte of deleted rows in the file: the indexes of words are written anew, then all pages. False, where
    somebody reads the database, so that its log cannot be emptied yet."""
    with transaction(db):
        for table in ("texts", "item_words"):
            db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608
    db.execute("VACUUM")
    return empty_log(db)


def empty_log(db: apsw.Connection) -> bool:
    """Writes the log back into the database and cuts it off. False, where somebody reads it."""
    row = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return row is not None and row[0] == 0


def sessions_shown(db: apsw.Connection, items: Iterable[str]) -> list[tuple[str, str]]:
    """The sessions that were shown one of these items, as (agent, native id)."""
    query = """SELECT DISTINCT agent, session FROM exposures
               WHERE is_shown AND item IN (SELECT value FROM json_each(?)) ORDER BY agent, session"""
    return list(db.execute(query, (json_list(items),)))
