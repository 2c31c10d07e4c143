"""The full-text index: queries that people type, and what they find.

What is typed never reaches FTS5 as syntax: every word and phrase becomes a quoted string, so that no query is an error
and none does more than search. Words must all occur; "a phrase" in its order; `wor*` finds words that begin so; `-word`
and `-"a phrase"` exclude.

Of words that are too common to rank all of their matches, which a bounded count tells, the newest sessions are taken:
these are gone through from the newest back, some at a time, and the index is asked for their parts of it alone, until
enough match. What that costs depends on how many are wanted, not on how many there are. FTS5 would gather all words
that begin with a prefix before its first answer, so that they are named instead.
"""

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

import apsw

from afterwit.model.captured import ORDINAL_BITS
from afterwit.store.rows.session_list import SAID, Selection

_TERM = re.compile(r'(-?)"([^"]*)"(\*?)|(-?)(\S+)')
_HAS_WORD = re.compile(r"\w")
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


def match_of(terms: Sequence[Term], beginnings: Mapping[Term, str] | None = None) -> str:
    """The terms as an FTS5 expression; "" if nothing is looked for. `beginnings` may say prefixes in other words."""
    said = {term: f"({other})" for term, other in (beginnings or {}).items()}
    wanted = " AND ".join(said.get(term) or _quote(term) for term in terms if not term.is_excluded)
    unwanted = " OR ".join(said.get(term) or _quote(term) for term in terms if term.is_excluded)
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
    db: apsw.Connection, match: str, selection: Selection, kind: str, limit: int, most: int
) -> list[TextHit]:
    """The best hits of the best sessions, session by session; `limit` sessions with `most` hits each, 0: all."""
    query = f"""WITH matches AS MATERIALIZED (
                    SELECT events.id AS event_id, events.kind, events.at_ms, events.offset, events.length,
                        parts.file_id, parts.precedence, parts.session_id, bm25(texts) AS rank, {TIER} AS tier
                    FROM {_MATCHES} WHERE texts MATCH :match AND {SAID} AND {KIND_CONDITIONS[kind]}),
                placed AS (
                    SELECT *, row_number() OVER best AS place, count(*) OVER (PARTITION BY session_id) AS found,
                        first_value(tier) OVER best AS best_tier, first_value(rank) OVER best AS best_rank
                    FROM matches WINDOW best AS (PARTITION BY session_id ORDER BY tier, rank, event_id)),
                numbered AS (
                    SELECT *, dense_rank() OVER (ORDER BY best_tier, best_rank, session_id) AS number FROM placed)
                SELECT event_id, numbered.kind, numbered.at_ms, numbered.offset, numbered.length, file_id,
                    sessions.agent, sessions.native_id, sessions.repo, sessions.title, rank, session_id,
                    (SELECT count(*) FROM parts WHERE parts.session_id = numbered.session_id
                        AND parts.precedence < numbered.precedence), found
                FROM numbered JOIN sessions ON sessions.id = session_id
                WHERE (NOT :most OR place <= :most) AND (NOT :limit OR number <= :limit)
                ORDER BY number, place"""  # noqa: S608
    values = {"match": match, "limit": limit, "most": most, **selection.values()}
    return [TextHit(*row) for row in db.execute(query, values)]


def totals(db: apsw.Connection, match: str, selection: Selection, kind: str) -> TextTotals:
    query = f"""SELECT count(DISTINCT parts.session_id), count(*) FROM {_MATCHES}
                WHERE texts MATCH :match AND {SAID} AND {KIND_CONDITIONS[kind]}"""  # noqa: S608
    return TextTotals(*next(db.execute(query, {"match": match, **selection.values()})))


def count_hits(db: apsw.Connection, match: str, selection: Selection, kind: str) -> int:
    if not kind and selection == Selection():
        return int(db.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (match,)).get)
    query = f"""SELECT count(*) FROM texts JOIN events ON events.id = texts.rowid
                JOIN parts ON parts.id = events.id >> 24 JOIN sessions ON sessions.id = parts.session_id
                WHERE texts MATCH :match AND {SAID} AND {KIND_CONDITIONS[kind]}"""  # noqa: S608
    return int(db.execute(query, {"match": match, **selection.values()}).get)


def _quote(term: Term) -> str:
    text = term.text.replace('"', '""').replace("\0", " ")
    return f'"{text}"{"*" if term.is_prefix else ""}'


MOST_RANKED = 2_000
"""Matches that are ranked against each other. Where there are more, the newest sessions are taken."""
_MOST_WORDS = 1_000  # that a prefix is replaced by
_LARGEST_BATCH = 2_048  # sessions


class NewestMatches(NamedTuple):
    """Hits session by session, the newest session first; totals of what was looked at."""

    hits: list[TextHit]
    totals: TextTotals


class _Part(NamedTuple):
    """A part of a session that is meant, and what a hit in it says of the two."""

    id: int
    session_id: int
    started_ms: int | None
    file_id: int
    agent: str
    native_id: str
    repo: str
    title: str
    number: int  # among the parts of its session


class _Match(NamedTuple):
    event_id: int
    kind: str
    at_ms: int | None
    offset: int
    length: int
    tier: int


def has_more_than(db: apsw.Connection, match: str, most: int) -> bool:
    """Whether more than so many texts match; no more of them are looked at."""
    query = "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ?)"
    return int(db.execute(query, (match, most + 1)).get) > most


def words_named(db: apsw.Connection, terms: Sequence[Term]) -> str | None:
    """The expression of these terms with the words that there are in place of their beginnings; None where these are
    more than can be named, or where it is a phrase whose last word is not whole."""
    beginnings: dict[Term, str] = {}
    for term in terms:
        if not term.is_prefix:
            continue
        if not (term.text.isascii() and term.text.isalnum()):
            return None
        words = list(islice(words_from(db, term.text.lower()), _MOST_WORDS + 1))
        if len(words) > _MOST_WORDS:
            return None
        beginnings[term] = " OR ".join(f'"{word}"' for word in words) or f'"{term.text}"'
    return match_of(terms, beginnings)


def newest_hits(
    db: apsw.Connection, match: str, selection: Selection, kind: str, limit: int, most: int
) -> NewestMatches:
    """The `limit` newest sessions that match, with `most` hits each (0: all): what was said first, in its order."""
    hits: list[TextHit] = []
    sessions = matches = 0
    is_least = False
    batches = _batches(db, selection, limit * 2)
    for batch in batches:
        parts = {part.id: part for part in batch}
        in_session: dict[int, list[_Match]] = {part.session_id: [] for part in batch}
        for matched in _matches_in(db, match, kind, parts):
            part = parts[matched.event_id >> ORDINAL_BITS]
            if _is_in_time(matched.at_ms if matched.at_ms is not None else part.started_ms, selection):
                in_session[part.session_id].append(matched)
        for of_one in filter(None, in_session.values()):
            if sessions < limit:
                best = heapq.nsmallest(
                    most or len(of_one), of_one, key=lambda matched: (matched.tier, matched.event_id)
                )
                hits += (_hit(matched, parts[matched.event_id >> ORDINAL_BITS], len(of_one)) for matched in best)
            sessions += 1
            matches += len(of_one)
        if sessions >= limit:
            is_least = next(batches, None) is not None
            break
    return NewestMatches(hits, TextTotals(sessions, matches, is_least))


def _batches(db: apsw.Connection, selection: Selection, size: int) -> Iterator[list[_Part]]:
    """The parts of sessions, from the newest session back; more at a time the longer it takes."""
    timeless = selection._replace(since_ms=None, until_ms=None)  # which are asked of what was said
    query = f"""SELECT parts.id, sessions.id, sessions.started_ms, parts.file_id, sessions.agent, sessions.native_id,
                    sessions.repo, sessions.title, (SELECT count(*) FROM parts AS others
                    WHERE others.session_id = sessions.id AND others.precedence < parts.precedence)
                FROM sessions CROSS JOIN parts ON parts.session_id = sessions.id {timeless.where}
                ORDER BY sessions.started_ms DESC, sessions.native_id DESC, sessions.agent DESC"""  # noqa: S608
    parts = (_Part(*row) for row in db.execute(query, selection.values()))
    sessions = (list(of_one) for _, of_one in groupby(parts, key=lambda part: part.session_id))
    while batch := [part for of_one in islice(sessions, size) for part in of_one]:
        yield batch
        size = min(size * 2, _LARGEST_BATCH)


def _matches_in(db: apsw.Connection, match: str, kind: str, parts: Iterable[int]) -> Iterator[_Match]:
    query = f"""SELECT events.id, events.kind, events.at_ms, events.offset, events.length, {TIER}
                FROM texts CROSS JOIN events ON events.id = texts.rowid
                    CROSS JOIN parts ON parts.id = events.id >> {ORDINAL_BITS}
                WHERE texts MATCH :match AND texts.rowid >= :first << {ORDINAL_BITS}
                    AND texts.rowid < :end << {ORDINAL_BITS} AND {KIND_CONDITIONS[kind]}"""  # noqa: S608
    for first, end in _runs(parts):
        yield from (_Match(*row) for row in db.execute(query, {"match": match, "first": first, "end": end}))


def _is_in_time(at_ms: int | None, selection: Selection) -> bool:
    """As `session_list.SAID` has it: what has no time is in none."""
    if selection.since_ms is not None and (at_ms is None or at_ms < selection.since_ms):
        return False
    return selection.until_ms is None or (at_ms is not None and at_ms < selection.until_ms)


def _hit(matched: _Match, part: _Part, in_session: int) -> TextHit:
    return TextHit(
        event_id=matched.event_id,
        kind=matched.kind,
        at_ms=matched.at_ms,
        offset=matched.offset,
        length=matched.length,
        file_id=part.file_id,
        agent=part.agent,
        native_id=part.native_id,
        repo=part.repo,
        title=part.title,
        rank=matched.tier,
        session_id=part.session_id,
        part=part.number,
        found=in_session,
    )


def _runs(ids: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Neighbours together, as half-open ranges: sessions of one time have parts that follow each other."""
    for _, run in groupby(enumerate(sorted(ids)), key=lambda placed: placed[1] - placed[0]):
        members = [number for _, number in run]
        yield members[0], members[-1] + 1


def words_from(db: apsw.Connection, beginning: str) -> Iterator[str]:
    """The words of the index that begin so. Each is looked up behind the last, so that none of their places is read."""
    after = beginning
    while row := db.execute("SELECT term FROM text_words WHERE term >= ? LIMIT 1", (after,)).fetchone():
        if not row[0].startswith(beginning):
            return
        yield row[0]
        after = f"{row[0]} "  # no word holds a space, which stands before all that words hold
