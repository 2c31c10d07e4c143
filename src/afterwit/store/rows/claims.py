"""Claims: which part owns a record that several files hold, and which partial parts a transcript supersedes.

Copied history (resumed, forked and subagent sessions) is counted once, whatever the order in which files are learned:
the part with the smallest precedence owns the record, and every other file that holds it is derived again without it.

A part is partial if it comes from a history of prompts; its precedence begins with `PARTIAL`, behind all others. Which
are superseded depends on the set of the other parts alone. See docs/decisions/prompt-history.md.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.captured import PartFacts
from afterwit.store.database import json_list

PARTIAL = "2"
_DAY_MS = 86_400_000


class Rival(NamedTuple):
    """Another part that owns some of the keys."""

    part_id: int
    file_id: int
    precedence: str  # "", before all others, where the original is gone: such a part cannot be derived again
    keys: list[int]


def claim(db: apsw.Connection, part_id: int, keys: list[int]) -> list[Rival]:
    """Claims what is free. Returns those who own the rest."""
    before = db.total_changes()
    db.executemany("INSERT OR IGNORE INTO claims VALUES (?, ?)", ((key, part_id) for key in keys))
    if db.total_changes() - before == len(keys):
        return []
    return rivals(db, part_id, keys)


def rivals(db: apsw.Connection, part_id: int, keys: list[int]) -> list[Rival]:
    """The other parts that own some of these keys."""
    query = """SELECT claims.part_id, parts.file_id, iif(files.dropped_ms IS NULL, parts.precedence, ''),
               json_group_array(claims.key)
               FROM json_each(?) AS wanted JOIN claims ON claims.key = wanted.value
               JOIN parts ON parts.id = claims.part_id JOIN files ON files.id = parts.file_id
               WHERE claims.part_id <> ? GROUP BY claims.part_id ORDER BY claims.part_id"""
    rows = db.execute(query, (json_list(keys), part_id))
    return [Rival(row[0], row[1], row[2], msgspec.json.decode(row[3])) for row in rows]


def unclaimed(db: apsw.Connection, keys: list[int]) -> int:
    """How many of these keys nobody owns."""
    query = "SELECT count(*) FROM json_each(?) WHERE value NOT IN (SELECT key FROM claims)"
    return int(db.execute(query, (json_list(keys),)).get)


def take_over(db: apsw.Connection, part_id: int, keys: list[int]) -> None:
    db.executemany("UPDATE claims SET part_id = ? WHERE key = ?", ((part_id, key) for key in keys))


def release(db: apsw.Connection, part_id: int, keys: list[int]) -> None:
    """Gives up what this part owns among these keys."""
    db.executemany("DELETE FROM claims WHERE key = ? AND part_id = ?", ((key, part_id) for key in keys))


def note_copies(db: apsw.Connection, file_id: int, owner_file_ids: set[int]) -> None:
    """Remembers from whom a file lost records, to derive it again should they ever lose them."""
    db.execute("DELETE FROM copies WHERE file_id = ?", (file_id,))
    db.executemany("INSERT INTO copies VALUES (?, ?)", ((file_id, owner) for owner in sorted(owner_file_ids)))


def copiers_of(db: apsw.Connection, owner_file_id: int) -> list[int]:
    query = "SELECT file_id FROM copies WHERE owner_file_id = ?"
    return [row[0] for row in db.execute(query, (owner_file_id,))]


def superseded_ids(db: apsw.Connection, agent: str, facts: Iterable[PartFacts], unnamed: str) -> set[str]:
    """The native ids of the partial parts that a transcript supersedes. `unnamed` begins those that are made up."""
    partial = [part for part in facts if part.is_partial]
    with_transcript = _told(db, agent, [part.native_id for part in partial])
    return with_transcript | {
        part.native_id
        for part in partial
        if part.native_id.startswith(unnamed) and _is_told_that_day(db, agent, part.cwd, part.first_ms)
    }


def _told(db: apsw.Connection, agent: str, native_ids: list[str]) -> set[str]:
    """Those of which a transcript is known."""
    if not native_ids:
        return set()
    query = """SELECT DISTINCT sessions.native_id FROM json_each(:ids) AS wanted
               JOIN sessions ON sessions.agent = :agent AND sessions.native_id = wanted.value
               JOIN parts ON parts.session_id = sessions.id WHERE parts.precedence < :partial"""
    values = {"ids": json_list(native_ids), "agent": agent, "partial": PARTIAL}
    return {row[0] for row in db.execute(query, values)}


def _is_told_that_day(db: apsw.Connection, agent: str, cwd: str, at_ms: int | None) -> bool:
    """Whether a session of which a transcript is known ran in this folder on that day."""
    if at_ms is None:
        return False
    start = at_ms - at_ms % _DAY_MS
    query = """SELECT EXISTS (SELECT 1 FROM sessions JOIN parts ON parts.session_id = sessions.id
               WHERE sessions.agent = :agent AND sessions.cwd = :cwd AND parts.precedence < :partial
               AND sessions.started_ms < :stop AND sessions.ended_ms >= :start)"""
    values = {"agent": agent, "cwd": cwd, "partial": PARTIAL, "start": start, "stop": start + _DAY_MS}
    return bool(db.execute(query, values).get)
