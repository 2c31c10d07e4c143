"""Rows of sessions: the merge of their parts, and what is asked about them."""

from collections.abc import Mapping
from typing import NamedTuple

import apsw
import msgspec

from afterwit.model.captured import PartFacts
from afterwit.repos.identity import RepoSighting
from afterwit.store.rows.parts import ActionCounts, PartRow, action_counts, part_tokens, parts_of_session
from afterwit.store.rows.repetitions import forget_repetitions

_FIRST = ("user", "cwd", "root", "remote", "branch", "origin", "provider", "parent", "relation", "parent_call")
_PLACE = ("cwd", "root", "remote")  # of one part, where a log names it; else where most was done
_SUMMED = ("prompts", "replies", "interrupts", "compactions", "model_errors")
_TEXTS = (*_FIRST, "versions", "models", "title", "first_prompt", "task")
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")
_NUMBERS = (*_SUMMED, "events", *ActionCounts._fields, *(f"tokens_{name}" for name in _TOKENS))
_FOLLOWING = ("root", "relation", "started_ms", "first_prompt", "is_partial")  # what the session before is judged by
_TO_JUDGE_AGAIN = 2  # `is_digested` of a session that has not changed itself, but the one that follows it has
_SOON_MS = 86_400_000  # from the end of a session to the start of the one that follows it
_LONGEST_MS = 7 * _SOON_MS  # from start to start


def session_id(db: apsw.Connection, agent: str, native_id: str) -> int:
    """The id of a session, made if it is new."""
    row = db.execute("SELECT id FROM sessions WHERE agent = ? AND native_id = ?", (agent, native_id)).fetchone()
    if row:
        return int(row[0])
    columns = ["agent", "native_id", *_TEXTS, *_NUMBERS]
    values = [agent, native_id, *("" for _ in _TEXTS), *(0 for _ in _NUMBERS)]
    marks = ", ".join("?" for _ in columns)
    db.execute(f"INSERT INTO sessions ({', '.join(columns)}) VALUES ({marks})", values)  # noqa: S608
    return db.last_insert_rowid()


def put_known(db: apsw.Connection, agent: str, native_id: str, facts: Mapping[str, object]) -> int:
    """A session by what is known of it, without any part: in a store that is made for a replay. Returns its id."""
    session = session_id(db, agent, native_id)
    values = {"versions": "[]", "models": "[]", **facts}
    changes = ", ".join(f"{name} = :{name}" for name in values)
    db.execute(f"UPDATE sessions SET {changes} WHERE id = :id", {**values, "id": session})  # noqa: S608
    return session


def refresh_session(db: apsw.Connection, session: int) -> None:
    """Merges the parts of a session into its row; a session without parts is gone."""
    parts = parts_of_session(db, session)
    query = f"SELECT {', '.join(_FOLLOWING)} FROM sessions WHERE id = ?"  # noqa: S608
    before = dict(zip(_FOLLOWING, db.execute(query, (session,)).fetchone() or (), strict=False))
    if not parts:
        db.execute("DELETE FROM digests WHERE session_id = ?", (session,))
        forget_repetitions(db, session)
        db.execute("DELETE FROM sessions WHERE id = ?", (session,))
        _judge_earlier_again(db, session, before)
        return
    values = _merge([part.facts for part in parts]) | _count_parts(db, parts) | {"is_digested": 0}
    changes = ", ".join(f"{name} = :{name}" for name in values)
    db.execute(f"UPDATE sessions SET {changes} WHERE id = :id", {**values, "id": session})  # noqa: S608
    after = {name: values[name] for name in _FOLLOWING}
    if after != before:
        _judge_earlier_again(db, session, before)
        _judge_earlier_again(db, session, after)


def _judge_earlier_again(db: apsw.Connection, session: int, place: Mapping[str, object]) -> None:
    """Sessions that this one follows are digested again: how it begins says something about how they ended."""
    if not place.get("root") or place["started_ms"] is None:
        return
    query = """UPDATE sessions SET is_digested = :state WHERE root = :root AND id <> :id
               AND relation <> 'subagent' AND is_digested = 1
               AND started_ms BETWEEN :started_ms - :longest AND :started_ms
               AND ended_ms BETWEEN :started_ms - :soon AND :started_ms"""
    db.execute(query, {**place, "id": session, "longest": _LONGEST_MS, "soon": _SOON_MS, "state": _TO_JUDGE_AGAIN})


def next_prompt(db: apsw.Connection, session: int) -> str:
    """What the person asked first in the session that followed this one in the same place within a day; "" where none
    did. Of several that began in the same instant the one with the smaller name counts."""
    query = """SELECT later.first_prompt FROM sessions JOIN sessions AS later ON later.root = sessions.root
               AND later.started_ms BETWEEN sessions.ended_ms AND sessions.ended_ms + :soon
               WHERE sessions.id = :id AND sessions.root <> '' AND sessions.relation <> 'subagent'
               AND later.id <> sessions.id AND later.relation <> 'subagent' AND NOT later.is_partial
               AND later.started_ms - sessions.started_ms <= :longest
               ORDER BY later.started_ms, later.agent, later.native_id LIMIT 1"""
    row = db.execute(query, {"id": session, "soon": _SOON_MS, "longest": _LONGEST_MS}).fetchone()
    return str(row[0]) if row else ""


def sightings(db: apsw.Connection) -> list[RepoSighting]:
    """Where sessions ran and what remote they named, with how many did."""
    query = "SELECT root, remote, sum(sessions) FROM session_places GROUP BY root, remote"
    return [RepoSighting(*row) for row in db.execute(query)]


class Counts(NamedTuple):
    events: int
    actions: int


def counts_by_agent(db: apsw.Connection) -> dict[str, Counts]:
    query = "SELECT agent, sum(events), sum(actions) FROM session_places GROUP BY agent"
    return {agent: Counts(events, actions) for agent, events, actions in db.execute(query)}


def count_sessions(db: apsw.Connection) -> int:
    return int(db.execute("SELECT ifnull(sum(sessions), 0) FROM session_places").get)


def _merge(parts: list[PartFacts]) -> dict[str, object]:
    """One session out of what its files say. The parts come in order of precedence, so only the set counts."""
    starts = [start for part in parts if (start := part.started_ms or part.first_ms) is not None]
    ends = [end for part in parts if (end := part.ended_ms or part.started_ms or part.first_ms) is not None]
    titled = max(parts, key=lambda part: (bool(part.title), part.is_title_manual, part.title_at_ms))
    asked = min((part for part in parts if part.first_prompt), key=_prompt_time, default=parts[0])
    placed = [part for part in parts if not part.is_placeless] or sorted(parts, key=lambda part: not part.worked)
    merged: dict[str, object] = {name: _first(placed if name in _PLACE else parts, name) for name in _FIRST}
    merged |= {name: sum(getattr(part, name) for part in parts) for name in _SUMMED}
    versions = list(dict.fromkeys(version for part in parts for version in part.versions))
    return merged | {
        "versions": msgspec.json.encode(versions).decode(),
        "started_ms": min(starts, default=None),
        "ended_ms": max(ends, default=None),
        "title": titled.title,
        "first_prompt": asked.first_prompt,
        "task": asked.task or next((part.task for part in parts if part.task), ""),
        "events": sum(part.events - part.copied for part in parts),
        "is_partial": int(all(part.is_partial for part in parts)),
    }


def _first(parts: list[PartFacts], name: str) -> str:
    return next((value for part in parts if (value := getattr(part, name))), "")


def _prompt_time(part: PartFacts) -> int:
    return part.first_prompt_ms if part.first_prompt_ms is not None else 1 << 62


def _count_parts(db: apsw.Connection, parts: list[PartRow]) -> dict[str, object]:
    counts = [action_counts(db, part.id) for part in parts]
    tokens = part_tokens(db, [part.id for part in parts])
    counted: dict[str, object] = {name: sum(getattr(part, name) for part in counts) for name in ActionCounts._fields}
    return counted | {"models": tokens.models} | {f"tokens_{name}": getattr(tokens, name) for name in _TOKENS}
