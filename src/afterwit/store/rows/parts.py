"""Rows of parts: what one file says of one session, with its events, actions and spends.

Ids of events and actions are `part id << 24 | ordinal`: the rows of a part lie together, in order.

Rows of notes: what was kept of a transcript for its digest, and of the instruction files that it shows.

Instruction files are the same in many sessions: their texts lie in `shared_texts`, each once, as long as a note names
them. A note reads as it was written, wherever its text lies.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.captured import ORDINAL_BITS, ActionRow, Captured, NoteRow, PartFacts, ProblemRow
from afterwit.model.instruction_files import Instruction, instruction
from afterwit.model.keys import key_of
from afterwit.model.kinds import NoteKind
from afterwit.store.database import one

WHOLE_TEXT = "notes.text || ifnull(char(10) || shared_texts.text, '')"


WITH_SHARED = "notes LEFT JOIN shared_texts ON shared_texts.key = notes.shared"


class ShownRow(NamedTuple):
    """What sessions in a repository saw of an instruction file."""

    repo: str
    at_ms: int  # when they saw it last
    file: Instruction


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


def put_notes(db: apsw.Connection, notes: Iterable[NoteRow], part_ids: dict[int, int]) -> None:
    """Writes the notes of the parts that are kept; `part_ids` maps position to id."""
    kept = [row for row in notes if row.part in part_ids]
    files = [row for row in kept if row.kind is NoteKind.INSTRUCTIONS]
    db.executemany(
        "INSERT OR REPLACE INTO notes (part_id, kind, place, at_ms, text) VALUES (?, ?, ?, ?, ?)",
        (
            (part_ids[row.part], row.kind, row.place, row.at_ms, row.text)
            for row in kept
            if row.kind is not NoteKind.INSTRUCTIONS
        ),
    )
    for row in files:
        head, _, text = row.text.partition("\n")
        db.execute("INSERT OR IGNORE INTO shared_texts (key, text) VALUES (?, ?)", (key_of(text), text))
        db.execute(
            "INSERT OR REPLACE INTO notes (part_id, kind, place, at_ms, text, shared) VALUES (?, ?, ?, ?, ?, ?)",
            (part_ids[row.part], row.kind, row.place, row.at_ms, head, key_of(text)),
        )
    if files:
        _forget_unnamed(db)


def notes_of_part(db: apsw.Connection, part_id: int, position: int = 0) -> list[NoteRow]:
    """The notes of a part in a fixed order, as rows of the part at this position."""
    query = f"SELECT kind, place, at_ms, {WHOLE_TEXT} FROM {WITH_SHARED} WHERE part_id = ? ORDER BY kind, place"  # noqa: S608
    return [NoteRow(position, NoteKind(kind), *rest) for kind, *rest in db.execute(query, (part_id,))]


def clear_notes(db: apsw.Connection, part_id: int) -> None:
    db.execute("DELETE FROM notes WHERE part_id = ?", (part_id,))
    _forget_unnamed(db)


def shown_files(db: apsw.Connection) -> list[ShownRow]:
    """The instruction files that sessions saw: each text of each once, with the last time, the oldest first."""
    query = """SELECT sessions.repo, max(ifnull(notes.at_ms, 0)) AS at_ms, notes.text, shared_texts.text
               FROM notes JOIN shared_texts ON shared_texts.key = notes.shared
               JOIN parts ON parts.id = notes.part_id JOIN sessions ON sessions.id = parts.session_id
               GROUP BY sessions.repo, notes.text, notes.shared ORDER BY at_ms, shared_texts.text, notes.text"""
    return [ShownRow(repo, at_ms, instruction(head, text)) for repo, at_ms, head, text in db.execute(query)]


def _forget_unnamed(db: apsw.Connection) -> None:
    db.execute(
        """DELETE FROM shared_texts
           WHERE NOT EXISTS (SELECT 1 FROM notes WHERE notes.shared = shared_texts.key)"""
    )
