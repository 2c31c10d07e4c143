"""Rows of parts: what one file says of one session, with its events, actions, spends and notes, and which records it
owns.

Ids of events and actions are `part id << 24 | ordinal`: the rows of a part lie together, in order. Texts of instruction
files lie in `shared_texts`, each once. Copied history is counted once, whatever the order in which files are learned:
the part with the smallest precedence claims the record. A part from a history of prompts is partial, and behind all
others (docs/decisions/prompt-history.md).
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import apsw
import msgspec

from afterwit.model.captured import (
    ORDINAL_BITS,
    ActionRow,
    Captured,
    EventRow,
    Extract,
    PartFacts,
    SpendRow,
    TextRow,
    key_of,
)
from afterwit.model.instruction_files import Instruction, instruction
from afterwit.model.kinds import EventKind, NoteKind
from afterwit.model.readings import Problem
from afterwit.store.database import columns_of, insert_into, json_list, only_row

Row = TypeVar("Row", bound=msgspec.Struct)
_EVENT, _ACTION = columns_of(EventRow, "part", "ordinal"), columns_of(ActionRow, "part", "ordinal")
_SPEND = columns_of(SpendRow, "part")
_NOTE = "kind, place, at_ms, notes.text || ifnull(char(10) || shared_texts.text, '')"
_NOTES = "notes LEFT JOIN shared_texts ON shared_texts.key = notes.shared"
OF_EVENTS = f"SELECT {{id}}{_EVENT} FROM events WHERE id >= :first AND id < :end ORDER BY id"  # noqa: S608
OF_ACTIONS = f"SELECT {{id}}{_ACTION} FROM actions WHERE id >= :first AND id < :end ORDER BY id"  # noqa: S608
OF_SPENDS = f"SELECT {_SPEND} FROM spends WHERE part_id = :part ORDER BY key"  # noqa: S608
_OF_NOTES = f"SELECT {_NOTE} FROM {_NOTES} WHERE part_id = :part ORDER BY kind, place"  # noqa: S608
_ORDINAL = f"id & {(1 << ORDINAL_BITS) - 1}, "


class PartRow(msgspec.Struct, frozen=True):
    id: int
    file_id: int
    session_id: int
    precedence: str
    facts: PartFacts


def parts_of_file(db: apsw.Connection, file_id: int) -> list[PartRow]:
    return _parts(db, "file_id = ? ORDER BY id", file_id)


def parts_of_session(db: apsw.Connection, session_id: int) -> list[PartRow]:
    return _parts(db, "session_id = ? ORDER BY precedence", session_id)


def _parts(db: apsw.Connection, which: str, owner_id: int) -> list[PartRow]:
    query = f"SELECT {columns_of(PartRow)} FROM parts WHERE {which}"  # noqa: S608
    rows = db.execute(query, (owner_id,))
    decode = msgspec.msgpack.Decoder(PartFacts).decode
    return [PartRow(part, file, session, precedence, decode(facts)) for part, file, session, precedence, facts in rows]


def put_part(db: apsw.Connection, file_id: int, session_id: int, precedence: str, facts: PartFacts) -> int:
    """Adds or updates a part. Returns its id, which stays the same for the same file and session."""
    query = """INSERT INTO parts (file_id, session_id, precedence, facts) VALUES (?, ?, ?, ?)
               ON CONFLICT (file_id, session_id)
               DO UPDATE SET precedence = excluded.precedence, facts = excluded.facts RETURNING id"""
    return int(db.execute(query, (file_id, session_id, precedence, msgspec.msgpack.encode(facts))).get)


def span(part_id: int) -> dict[str, int]:
    """The named values of queries for the rows of a part."""
    return {"part": part_id, "first": part_id << ORDINAL_BITS, "end": (part_id + 1) << ORDINAL_BITS}


def part_events(db: apsw.Connection, part_id: int, position: int = 0) -> Iterator[EventRow]:
    """The events of a part, in order, as rows of the part at this position; from an open cursor, one by one."""
    return _rows(EventRow, db.execute(OF_EVENTS.format(id=_ORDINAL), span(part_id)), position)


def part_actions(db: apsw.Connection, part_id: int, position: int = 0) -> Iterator[ActionRow]:
    """The same for its actions."""
    return _rows(ActionRow, db.execute(OF_ACTIONS.format(id=_ORDINAL), span(part_id)), position)


def part_spends(db: apsw.Connection, part_id: int, position: int = 0) -> Iterator[SpendRow]:
    return _rows(SpendRow, db.execute(OF_SPENDS, span(part_id)), position)


def part_notes(db: apsw.Connection, part_id: int, position: int = 0) -> Iterator[Extract]:
    return _rows(Extract, db.execute(_OF_NOTES, span(part_id)), position)


def remarks_on_actions(db: apsw.Connection, part_id: int) -> dict[int, str]:
    """By ordinal of the action: what a person said to it."""
    return dict(db.execute("SELECT place, text FROM notes WHERE part_id = ? AND kind = 'said'", (part_id,)))


def _rows(kind: type[Row], values: Iterable[tuple[Any, ...]], position: int) -> Iterator[Row]:
    return (msgspec.convert((position, *row), kind, strict=False) for row in values)


def part_content(db: apsw.Connection, part_id: int) -> Iterator[tuple[Any, ...]]:
    """All events, actions, spends and notes of a part, in order, without row ids."""
    for query in (OF_EVENTS.format(id=""), OF_ACTIONS.format(id=""), OF_SPENDS, _OF_NOTES):
        yield from db.execute(query, span(part_id))


def result_times(db: apsw.Connection, part_id: int) -> dict[int, int | None]:
    """By ordinal of the action: when its result was written."""
    results = {row.offset: row.at_ms for row in part_events(db, part_id) if row.kind is EventKind.RESULT}
    query = f"SELECT {_ORDINAL} result_offset FROM actions WHERE id >= :first AND id < :end"  # noqa: S608
    return {ordinal: results.get(offset) for ordinal, offset in db.execute(query, span(part_id))}


def put_rows(db: apsw.Connection, captured: Captured, part_ids: dict[int, int]) -> None:
    """Writes the events, actions, spends and notes of the parts that are kept; `part_ids` maps position to id."""
    tables = (("events", _EVENT, captured.events), ("actions", _ACTION, captured.actions))
    for table, columns, rows in tables:
        kept = (row for row in rows if row.part in part_ids)
        values = ((_row_id(part_ids, row), *msgspec.structs.astuple(row)[2:]) for row in kept)
        db.executemany(insert_into(table, f"id, {columns}", "INSERT OR REPLACE"), values)
    db.executemany(
        f"""{insert_into("spends", f"part_id, {_SPEND}")} ON CONFLICT DO UPDATE SET
           at_ms = ifnull(min(at_ms, excluded.at_ms), ifnull(at_ms, excluded.at_ms)),
           model = max(model, excluded.model), input = max(input, excluded.input),
           cache_read = max(cache_read, excluded.cache_read), cache_write = max(cache_write, excluded.cache_write),
           output = max(output, excluded.output), reasoning = max(reasoning, excluded.reasoning),
           cost_usd = ifnull(max(cost_usd, excluded.cost_usd), ifnull(cost_usd, excluded.cost_usd)),
           cache_write_1h = max(cache_write_1h, excluded.cache_write_1h),
           is_nested = min(is_nested, excluded.is_nested)""",
        ((part_ids[row.part], *msgspec.structs.astuple(row)[1:]) for row in captured.spends if row.part in part_ids),
    )
    put_notes(db, captured.notes, part_ids)


def put_texts(db: apsw.Connection, captured: Captured, part_ids: dict[int, int]) -> None:
    """Indexes what can be searched."""
    values = ((_row_id(part_ids, row), row.text) for row in captured.texts if row.part in part_ids)
    db.executemany(insert_into("texts", "rowid, text", "INSERT OR REPLACE"), values)


def put_notes(db: apsw.Connection, notes: Iterable[Extract], part_ids: dict[int, int]) -> None:
    """Writes the notes of the parts that are kept."""
    values: list[tuple[object, ...]] = []
    files: dict[int, str] = {}
    for row in notes:
        if row.part in part_ids:
            text, shared = row.text, None
            if row.kind is NoteKind.INSTRUCTIONS:
                text, _, file = row.text.partition("\n")
                shared = key_of(file)
                files[shared] = file
            values.append((part_ids[row.part], row.kind, row.place, row.at_ms, text, shared))
    db.executemany(insert_into("shared_texts", "key, text", "INSERT OR IGNORE"), files.items())
    columns = "part_id, kind, place, at_ms, text, shared"
    db.executemany(insert_into("notes", columns, "INSERT OR REPLACE"), values)
    if files:
        _forget_unnamed(db)


def put_problems(db: apsw.Connection, file_id: int, start: int, problems: Iterable[Problem]) -> None:
    """Replaces the problems from an offset on: what was unfinished there may be whole by now."""
    db.execute("DELETE FROM problems WHERE file_id = ? AND offset >= ?", (file_id, start))
    values = ((file_id, row.offset, row.length, row.reason) for row in problems)
    db.executemany(insert_into("problems", "file_id, offset, length, reason", "INSERT OR REPLACE"), values)


def clear_rows(db: apsw.Connection, part_id: int) -> None:
    """Removes the events, actions, spends and notes of a part, not its claims."""
    rows = "id >= :first AND id < :end"
    db.execute(f"DELETE FROM texts WHERE rowid IN (SELECT id FROM events WHERE {rows})", span(part_id))  # noqa: S608
    for table, which in (("events", rows), ("actions", rows), ("spends", "part_id = :part")):
        db.execute(f"DELETE FROM {table} WHERE {which}", span(part_id))  # noqa: S608
    clear_notes(db, part_id)


def clear_notes(db: apsw.Connection, part_id: int) -> None:
    db.execute("DELETE FROM notes WHERE part_id = ?", (part_id,))
    _forget_unnamed(db)


def delete_part(db: apsw.Connection, part_id: int) -> None:
    """Removes a part with its rows and claims: a later part may get its id."""
    clear_rows(db, part_id)
    db.execute("DELETE FROM claims WHERE part_id = ?", (part_id,))
    db.execute("DELETE FROM parts WHERE id = ?", (part_id,))


class ActionCounts(NamedTuple):
    actions: int
    failures: int
    denials: int


def action_counts(db: apsw.Connection, part_id: int) -> ActionCounts:
    query = """SELECT count(*), count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'denied')
               FROM actions WHERE id >= :first AND id < :end"""
    return ActionCounts(*only_row(db, query, span(part_id)))


class TokenSums(NamedTuple):
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    models: str  # JSON list, sorted


def part_tokens(db: apsw.Connection, part_ids: list[int]) -> TokenSums:
    sums = ", ".join(f"ifnull(sum({name}), 0)" for name in TokenSums._fields[:-1])
    query = f"""SELECT {sums}, json_group_array(DISTINCT model ORDER BY model) FILTER (WHERE model <> '')
               FROM spends WHERE part_id IN (SELECT value FROM json_each(?))"""  # noqa: S608
    return TokenSums(*only_row(db, query, (json_list(part_ids),)))


def tokens_by_time(db: apsw.Connection, session_id: int) -> list[tuple[int | None, int]]:
    """When each response of a session came, and what it took. Copies inside a parent's log are its subagents'."""
    query = """SELECT spends.at_ms, input + cache_read + cache_write + output
               FROM parts JOIN spends ON spends.part_id = parts.id WHERE parts.session_id = ? AND NOT is_nested"""
    return [(at_ms, int(tokens)) for at_ms, tokens in db.execute(query, (session_id,))]


class ShownFile(NamedTuple):
    """What sessions in a repository saw of an instruction file."""

    repo: str
    at_ms: int  # when they saw it last
    file: Instruction


def instructions_shown(db: apsw.Connection) -> list[ShownFile]:
    """The instruction files that sessions saw: each text of each once, with the last time, the oldest first."""
    query = """SELECT sessions.repo, max(ifnull(notes.at_ms, 0)) AS at_ms, notes.text, shared_texts.text
               FROM notes JOIN shared_texts ON shared_texts.key = notes.shared
               JOIN parts ON parts.id = notes.part_id JOIN sessions ON sessions.id = parts.session_id
               GROUP BY sessions.repo, notes.text, notes.shared ORDER BY at_ms, shared_texts.text, notes.text"""
    return [ShownFile(repo, at_ms, instruction(head, text)) for repo, at_ms, head, text in db.execute(query)]


def _row_id(part_ids: dict[int, int], row: EventRow | ActionRow | TextRow) -> int:
    return part_ids[row.part] << ORDINAL_BITS | row.ordinal


def _forget_unnamed(db: apsw.Connection) -> None:
    db.execute(
        """DELETE FROM shared_texts
           WHERE NOT EXISTS (SELECT 1 FROM notes WHERE notes.shared = shared_texts.key)"""
    )


class EventOutline(NamedTuple):
    """Where an event lies, without its text."""

    ordinal: int
    kind: str
    at_ms: int | None
    offset: int
    length: int


PlainOutline = tuple[int, str, int | None, int, int]
"""The fields of an `EventOutline`."""


def part_outline(db: apsw.Connection, part_id: int) -> list[PlainOutline]:
    """The events of a part that are no copies, in order; plain, because they may be very many."""
    query = f"""SELECT {_ORDINAL} kind, at_ms, offset, length FROM events
               WHERE id >= :first AND id < :end AND NOT is_copied ORDER BY id"""  # noqa: S608
    rows: list[Any] = db.execute(query, span(part_id)).fetchall()
    return rows


def part_failures(db: apsw.Connection, part_id: int) -> set[int]:
    """Which of its actions failed: their ordinals, counted over its calls that are no copies."""
    query = f"SELECT {_ORDINAL} 1 FROM actions WHERE id >= :first AND id < :end AND status = 'failed'"  # noqa: S608
    return {row[0] for row in db.execute(query, span(part_id))}


def actions_between(db: apsw.Connection, part_id: int, first: int, last: int) -> dict[int, ActionRow]:
    """The actions of a part with these ordinals, by ordinal."""
    query = f"""SELECT {_ORDINAL}{_ACTION} FROM actions
               WHERE id >= :first + :least AND id <= :first + :most AND id < :end ORDER BY id"""  # noqa: S608
    rows = _rows(ActionRow, db.execute(query, {**span(part_id), "least": first, "most": last}), 0)
    return {row.ordinal: row for row in rows}


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


def find_superseded(db: apsw.Connection, agent: str, facts: Iterable[PartFacts], unnamed: str) -> set[str]:
    """The native ids of the partial parts that a transcript supersedes. `unnamed` begins those that are made up."""
    partial = [part for part in facts if part.is_partial]
    with_transcript = _ids_with_transcript(db, agent, [part.native_id for part in partial])
    return with_transcript | {
        part.native_id
        for part in partial
        if part.native_id.startswith(unnamed) and _has_transcript_that_day(db, agent, part.cwd, part.first_ms)
    }


def _ids_with_transcript(db: apsw.Connection, agent: str, native_ids: list[str]) -> set[str]:
    """Those of which a transcript is known."""
    if not native_ids:
        return set()
    query = """SELECT DISTINCT sessions.native_id FROM json_each(:ids) AS wanted
               JOIN sessions ON sessions.agent = :agent AND sessions.native_id = wanted.value
               JOIN parts ON parts.session_id = sessions.id WHERE parts.precedence < :partial"""
    values = {"ids": json_list(native_ids), "agent": agent, "partial": PARTIAL}
    return {row[0] for row in db.execute(query, values)}


def _has_transcript_that_day(db: apsw.Connection, agent: str, cwd: str, at_ms: int | None) -> bool:
    """Whether a session of which a transcript is known ran in this folder on that day."""
    if at_ms is None:
        return False
    start = at_ms - at_ms % _DAY_MS
    query = """SELECT EXISTS (SELECT 1 FROM sessions JOIN parts ON parts.session_id = sessions.id
               WHERE sessions.agent = :agent AND sessions.cwd = :cwd AND parts.precedence < :partial
               AND sessions.started_ms < :stop AND sessions.ended_ms >= :start)"""
    values = {"agent": agent, "cwd": cwd, "partial": PARTIAL, "start": start, "stop": start + _DAY_MS}
    return bool(db.execute(query, values).get)
