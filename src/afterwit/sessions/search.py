"""Full-text search over what was said and done, with snippets from the archive.

A program that stays (a server, a benchmark) keeps a `Searcher`; a command asks once with `search`, whose answer goes
session by session, or with `best_hits`. The database holds where a text lies, not what it says: `originals` reads it.
Texts are cleaned and redacted before they leave this module.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import apsw
import msgspec

from afterwit.capture.assembly.texts import safe_piece
from afterwit.config.world import World, redactor_of
from afterwit.model.captured import ORDINAL_BITS
from afterwit.model.errors import UsageError
from afterwit.model.kinds import EventKind
from afterwit.model.pasted import own_words
from afterwit.model.text import regex, snippet
from afterwit.redaction.redaction import Redactor
from afterwit.sessions.filters import Filter, selection_of, short_id
from afterwit.sessions.list import Session
from afterwit.sessions.originals import EventPlace, EventTexts, text_of
from afterwit.sessions.show import moment_number
from afterwit.store.archive import Archive
from afterwit.store.rows.files import files_by_id
from afterwit.store.rows.session_list import Selection, session_row
from afterwit.store.rows.texts import (
    MOST_RANKED,
    Term,
    TextHit,
    TextTotals,
    has_more_than,
    hits_by_session,
    match_of,
    terms_of,
    totals,
)
from afterwit.store.rows.texts import search as search_texts
from afterwit.store.store import readonly_database

_WORD = regex(r"\w+")
_ORDINALS = (1 << ORDINAL_BITS) - 1
_Texts = Mapping[int, list[str] | None]  # by the id of the event; None where they are gone


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """One event that matches. The snippet is None where the archive does not hold the text any more."""

    agent: str
    session: str
    repo: str
    title: str
    kind: str
    at_ms: int | None
    offset: int
    snippet: str | None
    number: str = ""  # of the moment in its session, where hits go session by session


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    query: str
    words: list[str]  # what was looked for
    total: int
    hits: list[SearchHit]


class SearchedSession(NamedTuple):
    """A session with its best matches, best first."""

    session: Session
    found: int  # matches, shown or not
    hits: list[SearchHit]


class SessionsAnswer(NamedTuple):
    query: str
    words: list[str]
    totals: TextTotals
    sessions: list[SearchedSession]
    is_newest: bool = False  # too much matches to be ranked: the newest sessions, newest first, instead of the best


class _Asked(NamedTuple):
    """A query as the store takes it."""

    words: list[str]
    terms: list[Term]
    match: str
    selection: Selection


class Searcher:
    """Answers queries to a store that stays open. Made by `open_searcher`."""

    def __init__(self, world: World, db: apsw.Connection) -> None:
        self._world = world
        self._db = db
        self._archive = Archive(world.layout.archive)

    def search(
        self, query: str, wanted: Filter, kind: str, limit: int, width: int, *, most_matches: int = 3
    ) -> SessionsAnswer:
        """The sessions that match best, each with its best matches. What people and agents said goes before commands,
        and these before outputs. Where too much matches to be ranked at once, the newest sessions instead; never
        without a limit. 0 means no limit."""
        asked = self._asked(query, wanted)
        is_newest = bool(limit) and has_more_than(self._db, asked.match, MOST_RANKED)
        wanted_hits = (self._db, asked.match, asked.selection, kind)
        hits = hits_by_session(*wanted_hits, limit, most_matches, is_newest=is_newest)
        total = totals(*wanted_hits, is_newest=is_newest)
        shown = iter(self._with_snippets(hits, asked.words, width))
        sessions: list[SearchedSession] = []
        for session_id, rows in groupby(hits, key=lambda hit: hit.session_id):
            row = session_row(self._db, session_id)
            assert row is not None
            matches = [(hit, next(shown)) for hit in rows]
            numbered = [
                msgspec.structs.replace(match, number=moment_number(hit.part, hit.event_id & _ORDINALS))
                for hit, match in matches
            ]
            sessions.append(
                SearchedSession(Session(row, id=short_id(self._db, row.native_id)), matches[0][0].found, numbered)
            )
        return SessionsAnswer(query, asked.words, total, sessions, is_newest)

    def best_hits(
        self, query: str, wanted: Filter, kind: str, limit: int, width: int, *, typed_only: bool = False
    ) -> SearchAnswer:
        """The best hits whatever their session, with snippets of about `width` characters. With `typed_only` prompts
        are shown without what was pasted into them."""
        asked = self._asked(query, wanted)
        hits = search_texts(self._db, asked.match, asked.selection, kind, limit)
        total = len(hits)
        if limit and total >= limit:
            total = totals(self._db, asked.match, asked.selection, kind).matches
        shown = self._with_snippets(hits, asked.words, width, typed_only=typed_only)
        return SearchAnswer(query=query, words=asked.words, total=total, hits=shown)

    def _asked(self, query: str, wanted: Filter) -> _Asked:
        """A query as people type it. Without a word to look for it is an error."""
        terms = terms_of(query)
        match = match_of(terms)
        if not match:
            raise UsageError("Nothing to search for: give at least one word that is not excluded with `-`.")
        words = [term.text for term in terms if not term.is_excluded]
        return _Asked(words, terms, match, selection_of(self._db, self._world.settings, wanted))

    def _with_snippets(
        self, hits: list[TextHit], words: list[str], width: int, *, typed_only: bool = False
    ) -> list[SearchHit]:
        texts = self._texts(hits) if hits else {}
        shown: list[SearchHit] = []
        for hit in hits:
            is_typed = typed_only and hit.kind == EventKind.PROMPT
            chosen = _only_typed(texts[hit.event_id], words) if is_typed else _choose_text(texts[hit.event_id], words)
            piece = None if chosen is None else snippet(safe_piece(chosen, words, self._redactor), words, width)
            shown.append(_show_hit(hit, piece))
        return shown

    def _texts(self, hits: list[TextHit]) -> _Texts:
        """What the events say. Those whose record means nothing by itself are read with all that stands before it."""
        rows = files_by_id(self._db, {hit.file_id for hit in hits})
        texts: dict[int, list[str] | None] = {}
        with closing(EventTexts(self._db, self._archive, self._world.declared)) as events:
            for file_id, in_file in groupby(sorted(hits, key=_order), key=lambda hit: hit.file_id):
                here, file = list(in_file), rows[file_id]
                told = {hit.event_id: events.events(file, _place(hit), hit.length) for hit in here}
                unclear = {_place(hit): hit.event_id for hit in here if told[hit.event_id] == []}
                if unclear:
                    explained = events.events_in_context(file, unclear)
                    told |= {event_id: explained.get(place) for place, event_id in unclear.items()}
                texts |= {
                    event_id: None if said is None else [text_of(file.agent, event) for event in said]
                    for event_id, said in told.items()
                }
        return texts

    @cached_property
    def _redactor(self) -> Redactor:
        return redactor_of(self._world)


@contextmanager
def open_searcher(world: World) -> Iterator[Searcher]:
    with readonly_database(world.layout) as db:
        yield Searcher(world, db)


def search(
    world: World, query: str, wanted: Filter, kind: str, limit: int, width: int, *, most_matches: int = 3
) -> SessionsAnswer:
    """One query, asked of a store that is opened for it."""
    with open_searcher(world) as searcher:
        return searcher.search(query, wanted, kind, limit, width, most_matches=most_matches)


def best_hits(
    world: World, query: str, wanted: Filter, kind: str, limit: int, width: int, *, typed_only: bool = False
) -> SearchAnswer:
    with open_searcher(world) as searcher:
        return searcher.best_hits(query, wanted, kind, limit, width, typed_only=typed_only)


def _choose_text(texts: Sequence[str] | None, words: Sequence[str]) -> str | None:
    """Of several events in one record, the first that holds a wanted word."""
    return next((text for text in texts if _holds(text, words)), texts[0]) if texts else None


def _only_typed(texts: Sequence[str] | None, words: Sequence[str]) -> str | None:
    """The same of a prompt, without what was pasted into it; "" where the words stand only there."""
    if not texts:
        return None
    single = [word for term in words for word in _WORD.findall(term)]
    return next((text for text in map(own_words, texts) if _holds(text, single)), "")


def _holds(text: str, wanted: Iterable[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in wanted)


def _order(hit: TextHit) -> tuple[int, int]:
    return hit.file_id, hit.offset


def _place(hit: TextHit) -> EventPlace:
    return EventPlace(hit.offset, EventKind(hit.kind))


def _show_hit(hit: TextHit, piece: str | None) -> SearchHit:
    fields = {name: getattr(hit, name) for name in ("agent", "repo", "title", "kind", "at_ms", "offset")}
    return SearchHit(session=hit.native_id, snippet=piece, **fields)
