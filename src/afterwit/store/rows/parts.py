"""Rows of parts: what one file says of one session, with its events, actions and spends.

Ids of events and actions are `part id << 24 | ordinal`: the rows of a part lie together, in order.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.captured import ORDINAL_BITS, ActionRow, Captured, PartFacts, ProblemRow
from afterwit.store.database import one
from afterwit.store.rows.notes import WHOLE_TEXT, WITH_SHARED, clear_notes, put_notes


class PartRow(NamedTuple):
    id: int
    file_id: int
    session_id: int
    precedence: str
    facts: PartFacts


def parts_of_file(db: apsw.Connection, file_id: int) -> list[PartRow]:
    query = "SELECT id, file_id, session_id, precedence, facts FROM parts WHERE file_id = ? ORDER BY id"
    return [_part(row) for row in db.execute(query, (file_id,))]


def parts_of_session(db: apsw.Connection, session_id: int) -> list[PartRow]:
    query = "SELECT id, file_id, session_id, precedence, facts FROM parts WHERE session_id = ? ORDER BY precedence"
    return [_part(row) for row in db.execute(query, (session_id,))]


def put_part(db: apsw.Connection, file_id: int, session_id: int, precedence: str, facts: PartFacts) -> int:
    """Adds or updates a part. Returns its id, which stays the same for the same file and session."""
    query = """INSERT INTO parts (file_id, session_id, precedence, facts) VALUES (?, ?, ?, ?)
               ON CONFLICT (file_id, session_id)
               DO UPDATE SET precedence = excluded.precedence, facts = excluded.facts RETURNING id"""
    return int(db.execute(query, (file_id, session_id, precedence, msgspec.msgpack.encode(facts))).get)


def put_rows(db: apsw.Connection, captured: Captured, part_ids: dict[int, int]) -> None:
    """Writes the events, actions, spends and notes of the parts that are kept; `part_ids` maps position to id."""
    db.executemany(
        "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?)",
        (
            (
                part_ids[row.part] << ORDINAL_BITS | row.ordinal,
                row.kind,
                row.at_ms,
                row.offset,
                row.length,
                int(row.is_copied),
            )
            for row in captured.events
            if row.part in part_ids
        ),
    )
    db.executemany(
        "INSERT OR REPLACE INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (_action(part_ids[row.part], row) for row in captured.actions if row.part in part_ids),
    )
    db.executemany(
        """INSERT INTO spends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
           at_ms = ifnull(min(at_ms, excluded.at_ms), ifnull(at_ms, excluded.at_ms)),
           model = max(model, excluded.model), input = max(input, excluded.input),
           cache_read = max(cache_read, excluded.cache_read), cache_write = max(cache_write, excluded.cache_write),
           output = max(output, excluded.output), reasoning = max(reasoning, excluded.reasoning),
           cost_usd = ifnull(max(cost_usd, excluded.cost_usd), ifnull(cost_usd, excluded.cost_usd))""",
        ((part_ids[row.part], *msgspec.structs.astuple(row)[1:]) for row in captured.spends if row.part in part_ids),
    )
    put_notes(db, captured.notes, part_ids)


def put_texts(db: apsw.Connection, captured: Captured, part_ids: dict[int, int]) -> None:
    """Indexes what can be searched."""
    db.executemany(
        "INSERT OR REPLACE INTO texts (rowid, text) VALUES (?, ?)",
        (
            (part_ids[row.part] << ORDINAL_BITS | row.ordinal, row.text)
            for row in captured.texts
            if row.part in part_ids
        ),
    )


def put_problems(db: apsw.Connection, file_id: int, start: int, problems: Iterable[ProblemRow]) -> None:
    """Replaces the problems from an offset on: what was unfinished there may be whole by now."""
    db.execute("DELETE FROM problems WHERE file_id = ? AND offset >= ?", (file_id, start))
    db.executemany(
        "INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?)",
        ((file_id, row.offset, row.length, row.reason) for row in problems),
    )


def clear_rows(db: apsw.Connection, part_id: int) -> None:
    """Removes the events, actions, spends and notes of a part, not its claims."""
    span = (part_id << ORDINAL_BITS, (part_id + 1) << ORDINAL_BITS)
    db.execute("DELETE FROM texts WHERE rowid IN (SELECT id FROM events WHERE id >= ? AND id < ?)", span)
    db.execute("DELETE FROM events WHERE id >= ? AND id < ?", span)
    db.execute("DELETE FROM actions WHERE id >= ? AND id < ?", span)
    db.execute("DELETE FROM spends WHERE part_id = ?", (part_id,))
    clear_notes(db, part_id)


def delete_part(db: apsw.Connection, part_id: int) -> None:
    """Removes a part with its rows and claims: a later part may get its id."""
    clear_rows(db, part_id)
    db.execute("DELETE FROM claims WHERE part_id = ?", (part_id,))
    db.execute("DELETE FROM parts WHERE id = ?", (part_id,))


def part_counts(db: apsw.Connection, part_id: int) -> tuple[int, int, int]:
    """(actions, failed, denied) of a part."""
    span = (part_id << ORDINAL_BITS, (part_id + 1) << ORDINAL_BITS)
    query = """SELECT count(*), count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'denied')
               FROM actions WHERE id >= ? AND id < ?"""
    actions, failed, denied = one(db, query, span)
    return actions, failed, denied


class Tokens(NamedTuple):
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    models: str  # JSON list, sorted


def part_tokens(db: apsw.Connection, part_ids: list[int]) -> Tokens:
    query = """SELECT ifnull(sum(input), 0), ifnull(sum(cache_read), 0), ifnull(sum(cache_write), 0),
               ifnull(sum(output), 0), ifnull(sum(reasoning), 0),
               json_group_array(DISTINCT model ORDER BY model) FILTER (WHERE model <> '')
               FROM spends WHERE part_id IN (SELECT value FROM json_each(?))"""
    return Tokens(*one(db, query, (msgspec.json.encode(part_ids).decode(),)))


def _part(row: tuple[int, int, int, str, bytes]) -> PartRow:
    return PartRow(row[0], row[1], row[2], row[3], msgspec.msgpack.decode(row[4], type=PartFacts))


def _action(part_id: int, row: ActionRow) -> tuple[object, ...]:
    return (
        part_id << ORDINAL_BITS | row.ordinal,
        row.call_id,
        row.tool,
        row.kind,
        row.target,
        row.status,
        row.lean,
        row.exit_code,
        row.error,
        row.at_ms,
        row.duration_ms,
        row.offset,
        row.result_offset,
    )


def part_rows(db: apsw.Connection, part_id: int) -> Iterator[tuple[Any, ...]]:
    """All events, actions, spends and notes of a part, in order, without row ids."""
    span = (part_id << ORDINAL_BITS, (part_id + 1) << ORDINAL_BITS)
    yield from db.execute(
        "SELECT kind, at_ms, offset, length, is_copied FROM events WHERE id >= ? AND id < ? ORDER BY id", span
    )
    yield from db.execute(
        """SELECT call_id, tool, kind, target, status, lean, exit_code, error, at_ms, duration_ms, offset, result_offset
           FROM actions WHERE id >= ? AND id < ? ORDER BY id""",
        span,
    )
    yield from db.execute(
        """SELECT key, at_ms, model, input, cache_read, cache_write, output, reasoning, cost_usd
           FROM spends WHERE part_id = ? ORDER BY key""",
        (part_id,),
    )
    yield from db.execute(
        f"SELECT kind, place, at_ms, {WHOLE_TEXT} FROM {WITH_SHARED} WHERE part_id = ? ORDER BY kind, place",  # noqa: S608
        (part_id,),
    )
