"""Which partial sessions are in the shade: told better by a transcript.

A part is partial if it comes from a history of prompts; its precedence begins with `PARTIAL`, behind all others. What
is in the shade depends on the set of the other parts alone. See docs/decisions/prompt-history.md.
"""

from collections.abc import Iterable

import apsw
import msgspec

from afterwit.model.captured import PartFacts

PARTIAL = "2"
_DAY_MS = 86_400_000


def shaded(db: apsw.Connection, agent: str, facts: Iterable[PartFacts], unnamed: str) -> set[str]:
    """The native ids of the partial parts that are in the shade. `unnamed` begins those that are made up."""
    partial = [part for part in facts if part.is_partial]
    found = _told(db, agent, [part.native_id for part in partial])
    return found | {
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
    values = {"ids": msgspec.json.encode(native_ids).decode(), "agent": agent, "partial": PARTIAL}
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
