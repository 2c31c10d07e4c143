"""The full-text index: queries that people type, and what they find.

What is typed never reaches FTS5 as syntax: every word and phrase becomes a quoted string, so that no query is an error
and none does more than search. Words must all occur; "a phrase" in its order; `wor*` finds words that begin so; `-word`
and `-"a phrase"` exclude.

Of words that are too common to rank all of their matches, which a bounded count tells, the latest matches are taken, by
the order in which they were learned: what that costs depends on how many are wanted, not on how many there are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from afterwit.model.captured import ORDINAL_BITS
from afterwit.model.text import regex
from afterwit.store.rows.session_list import SAID, Selection

_TERM = regex(r'(-?)"([^"]*)"(\*?)|(-?)(\S+)')
_HAS_WORD = regex(r"\w")
_MOST_TERMS = 32
# FTS5's own `ORDER BY rank` sorts all hits with the places of their words; this keeps the best rows alone.
_BEST = """(SELECT rowid, bm25(texts) AS rank FROM texts WHERE texts MATCH :match
            ORDER BY rank, rowid LIMIT :limit) AS texts"""
_FAILED_RESULT = """EXISTS (SELECT 1 FROM actions WHERE actions.id >= parts.id << 24
    AND actions.id < (parts.id + 1) << 24 AND actions.result_offset = events.offset AND actions.status = 'failed')"""
KIND_CONDITIONS = {
    "": "TRUE",
    "prompt": "events.kind = 'prompt'",
    "reply": "events.kind = 'reply'",
    "command": "events.kind = 'call'",
    "output": "events.kind = 'result'",
    "error": f"events.kind = 'result' AND {_FAILED_RESULT}",
    "summary": "events.kind = 'compaction'",
}
KINDS = tuple(kind for kind in KIND_CONDITIONS if kind)
# What was said goes before what was done, and that before what came out.
TIER = "CASE events.kind WHEN 'call' THEN 1 WHEN 'result' THEN 2 ELSE 0 END"
_MATCHES = f"""texts JOIN events ON events.id = texts.rowid JOIN parts ON parts.id = events.id >> {ORDINAL_BITS}
    JOIN sessions ON sessions.id = parts.session_id"""


MOST_RANKED = 2_000
"""Matches that are ranked against each other. Where there are more, the latest are taken."""
_LATEST = "ORDER BY texts.rowid DESC LIMIT :ranked"


class Term(NamedTuple):
    """A word or a phrase."""

    text: str
    is_prefix: bool = False
    is_excluded: bool = False


class TextHit(NamedTuple):
    """An event that matches, best first. A smaller rank is better."""

    event_id: int
    kind: str
    at_ms: int | None
    offset: int
    length: int
    file_id: int
    agent: str
    native_id: str
    repo: str
    title: str
    rank: float
    session_id: int = 0  # this and what follows where hits go session by session
    part: int = 0  # which of the session's files, counted from 0
    found: int = 0  # matches of the session


class TextTotals(NamedTuple):
    """How much matches, shown or not."""

    sessions: int
    matches: int
    is_least: bool = False  # there may be more of both


def terms_of(query: str) -> list[Term]:
    """The terms of a query. What holds no letter or digit is no term."""
    terms: list[Term] = []
    for match in _TERM.finditer(query):
        is_phrase = match[2] is not None
        text = match[2] if is_phrase else match[5]
        is_prefix = bool(match[3]) if is_phrase else text.endswith("*")
        is_excluded = bool(match[1] or match[4])
        if _HAS_WORD.search(text):
            terms.append(Term(text.rstrip("*") if not is_phrase else text, is_prefix, is_excluded))
    return terms[:_MOST_TERMS]


def match_of(terms: Sequence[Term]) -> str:
    """The terms as an FTS5 expression; "" if nothing is looked for."""
    wanted = " AND ".join(_quote(term) for term in terms if not term.is_excluded)
    unwanted = " OR ".join(_quote(term) for term in terms if term.is_excluded)
    if not wanted:
        return ""
    return f"({wanted}) NOT ({unwanted})" if unwanted else wanted


def tidy(db: apsw.Connection) -> None:
    """Merges the pieces that a large import leaves, so that queries look in one place."""
    db.execute("INSERT INTO texts (texts) VALUES ('optimize')")


def search(db: apsw.Connection, match: str, selection: Selection, kind: str, limit: int) -> list[TextHit]:
    """The best hits of a kind ("" for all). 0 means no limit."""
    values: dict[str, Any] = {"match": match, "limit": limit or -1}
    if kind or selection != Selection():
        source, rank, condition = "texts", "bm25(texts)", f"texts MATCH :match AND {SAID} AND {KIND_CONDITIONS[kind]}"
        values |= selection.values()
    else:  # only the best are looked up, which is much less work
        source, rank, condition = _BEST, "texts.rank", "TRUE"
    query = f"""SELECT events.id, events.kind, events.at_ms, events.offset, events.length, parts.file_id,
                sessions.agent, sessions.native_id, sessions.repo, sessions.title, {rank} AS rank
                FROM {source} JOIN events ON events.id = texts.rowid JOIN parts ON parts.id = events.id >> 24
                JOIN sessions ON sessions.id = parts.session_id
                WHERE {condition} ORDER BY rank, events.id LIMIT :limit"""  # noqa: S608
    return [TextHit(*row) for row in db.execute(query, values)]


def hits_by_session(
    db: apsw.Connection,
    match: str,
    selection: Selection,
    kind: str,
    limit: int,
    most: int,
    *,
    is_newest: bool = False,
) -> list[TextHit]:
    """The best hits of the best sessions, session by session; `limit` sessions with `most` hits each, 0: all. Where it
    is to be the newest, the latest matches alone are looked at and not ranked, and the newest session goes first."""
    rank, first, latest = ("0.0", "-ifnull(sessions.started_ms, 0)", _LATEST) if is_newest else ("bm25(texts)", "0", "")
    query = f"""WITH matches AS MATERIALIZED (
                    SELECT events.id AS event_id, events.kind, events.at_ms, events.offset, events.length,
                        parts.file_id, parts.precedence, parts.session_id, {rank} AS rank, {TIER} AS tier,
                        {first} AS first
                    FROM {_MATCHES} WHERE texts MATCH :match AND {SAID} AND {KIND_CONDITIONS[kind]} {latest}),
                placed AS (
                    SELECT *, row_number() OVER best AS place, count(*) OVER (PARTITION BY session_id) AS found,
                        first_value(tier) OVER best AS best_tier, first_value(rank) OVER best AS best_rank
                    FROM matches WINDOW best AS (PARTITION BY session_id ORDER BY tier, rank, event_id)),
                numbered AS (
                    SELECT *, dense_rank() OVER (ORDER BY first, best_tier, best_rank, session_id) AS number
                    FROM placed)
                SELECT event_id, numbered.kind, numbered.at_ms, numbered.offset, numbered.length, file_id,
                    sessions.agent, sessions.native_id, sessions.repo, sessions.title, rank, session_id,
                    (SELECT count(*) FROM parts WHERE parts.session_id = numbered.session_id
                        AND parts.precedence < numbered.precedence), found
                FROM numbered JOIN sessions ON sessions.id = session_id
                WHERE (NOT :most OR place <= :most) AND (NOT :limit OR number <= :limit)
                ORDER BY number, place"""  # noqa: S608
    values = {"match": match, "limit": limit, "most": most, "ranked": MOST_RANKED, **selection.values()}
    return [TextHit(*row) for row in db.execute(query, values)]


def totals(db: apsw.Connection, match: str, selection: Selection, kind: str, *, is_newest: bool = False) -> TextTotals:
    query = f"""SELECT count(DISTINCT session_id), count(*) FROM (SELECT parts.session_id FROM {_MATCHES}
                WHERE texts MATCH :match AND {SAID} AND {KIND_CONDITIONS[kind]} {_LATEST if is_newest else ""})"""  # noqa: S608
    sessions, matches = next(db.execute(query, {"match": match, "ranked": MOST_RANKED, **selection.values()}))
    return TextTotals(sessions, matches, is_newest and matches == MOST_RANKED)


def has_more_than(db: apsw.Connection, match: str, most: int) -> bool:
    """Whether more than so many texts match; no more of them are looked at."""
    query = "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ?)"
    return int(db.execute(query, (match, most + 1)).get) > most


def _quote(term: Term) -> str:
    text = term.text.replace('"', '""').replace("\0", " ")
    return f'"{text}"{"*" if term.is_prefix else ""}'
