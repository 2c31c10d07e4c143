"""The rows of one session in the order in which they happened: which files it lies in, its events, its actions.

Rows come from open cursors, one by one, so that a session of any length costs little memory.

What is asked of sessions in order to choose among them: which files of the agents they lie in.
"""

from collections.abc import Iterator
from typing import NamedTuple

import apsw

from afterwit.model.captured import ORDINAL_BITS, ActionRow
from afterwit.model.kinds import ActionKind, EventKind, Lean, Status


class PartPlace(NamedTuple):
    """One part of a session, and the file that it lies in."""

    id: int
    file_id: int


class EventSeen(NamedTuple):
    ordinal: int
    kind: str
    at_ms: int | None
    offset: int
    length: int
    is_copied: int


class ActionSeen(NamedTuple):
    ordinal: int
    call_id: str
    tool: str
    kind: str
    target: str
    status: str
    lean: str | None
    exit_code: int | None
    error: str
    at_ms: int | None
    duration_ms: int | None


def part_places(db: apsw.Connection, session_id: int) -> list[PartPlace]:
    query = "SELECT id, file_id FROM parts WHERE session_id = :session ORDER BY precedence"
    return [PartPlace(*row) for row in db.execute(query, {"session": session_id})]


def part_events(db: apsw.Connection, part_id: int) -> Iterator[EventSeen]:
    query = """SELECT id & :mask, kind, at_ms, offset, length, is_copied FROM events
               WHERE id >= :first AND id < :end ORDER BY id"""
    return (EventSeen(*row) for row in db.execute(query, _span(part_id)))


def part_actions(db: apsw.Connection, part_id: int) -> Iterator[ActionSeen]:
    query = """SELECT id & :mask, call_id, tool, kind, target, status, lean, exit_code, error, at_ms, duration_ms
               FROM actions WHERE id >= :first AND id < :end ORDER BY id"""
    return (ActionSeen(*row) for row in db.execute(query, _span(part_id)))


def action_rows(db: apsw.Connection, part_id: int) -> Iterator[ActionRow]:
    """The actions of a part as capture made them; the part's position is 0."""
    query = """SELECT id & :mask, call_id, tool, kind, target, status, lean, exit_code, error, at_ms, duration_ms,
               offset, result_offset FROM actions WHERE id >= :first AND id < :end ORDER BY id"""
    for ordinal, call_id, tool, kind, target, status, lean, *rest in db.execute(query, _span(part_id)):
        kinds = ActionKind(kind), target, Status(status), Lean(lean) if lean else None
        yield ActionRow(0, ordinal, call_id, tool, *kinds, *rest)


def result_times(db: apsw.Connection, part_id: int) -> dict[int, int | None]:
    """By ordinal of the action: when its result was written."""
    results = {row.offset: row.at_ms for row in part_events(db, part_id) if row.kind == EventKind.RESULT}
    query = "SELECT id & :mask, result_offset FROM actions WHERE id >= :first AND id < :end"
    return {ordinal: results.get(offset) for ordinal, offset in db.execute(query, _span(part_id))}


def _span(part_id: int) -> dict[str, int]:
    return {
        "mask": (1 << ORDINAL_BITS) - 1,
        "first": part_id << ORDINAL_BITS,
        "end": (part_id + 1) << ORDINAL_BITS,
    }


def files_by_session(db: apsw.Connection) -> dict[int, list[bytes]]:
    """The keys of the transcripts, as they are now, that each session has a part in; the one with its beginning
    first."""
    query = """SELECT parts.session_id, files.key FROM parts JOIN files ON files.id = parts.file_id
               WHERE files.is_live ORDER BY parts.session_id, parts.precedence"""
    found: dict[int, list[bytes]] = {}
    for session, key in db.execute(query):
        found.setdefault(session, []).append(key)
    return found
