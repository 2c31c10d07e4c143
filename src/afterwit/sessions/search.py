"""Full-text search over what was said and done, with snippets from the archive.

A program that stays (a server, a benchmark) keeps a `Searcher`; a command asks once with `find`.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property

import apsw
import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.guard.redaction import Redactor
from afterwit.model.errors import UsageError
from afterwit.model.kinds import EventKind
from afterwit.sessions.bodies import Bodies
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.archive import Archive
from afterwit.store.rows.files import files_by_id
from afterwit.store.rows.texts import TextHit, count_hits, match_of, search, terms_of
from afterwit.store.store import readonly_database
from afterwit.text.snippets import snippet


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One event that matches. The snippet is None where the archive does not hold the text any more."""

    agent: str
    session: str
    repo: str
    title: str
    kind: str
    at_ms: int | None
    offset: int
    snippet: str | None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    query: str
    words: list[str]  # what was looked for
    total: int
    hits: list[Found]


class Searcher:
    """Answers queries to a store that stays open. Made by `searching`."""

    def __init__(self, world: World, db: apsw.Connection) -> None:
        self._world = world
        self._db = db
        self._archive = Archive(world.layout.archive)

    def find(
        self, query: str, wanted: Filter, kind: str, limit: int, width: int, *, typed_only: bool = False
    ) -> Answer:
        """The best hits for a query as people type it, with snippets of about `width` characters. With `typed_only`
        prompts are shown without what was pasted into them."""
        terms = terms_of(query)
        match = match_of(terms)
        if not match:
            raise UsageError("Nothing to search for: give at least one word that is not excluded with `-`.")
        words = [term.text for term in terms if not term.is_excluded]
        selection = selection_of(self._db, self._world.settings, wanted)
        hits = search(self._db, match, selection, kind, limit)
        total = len(hits) if not limit or len(hits) < limit else count_hits(self._db, match, selection, kind)
        return Answer(
            query=query, words=words, total=total, hits=self._with_snippets(hits, words, width, typed_only=typed_only)
        )

    def _with_snippets(self, hits: list[TextHit], words: list[str], width: int, *, typed_only: bool) -> list[Found]:
        if not hits:
            return []
        rows = files_by_id(self._db, {hit.file_id for hit in hits})
        shown: dict[int, Found] = {}
        with closing(Bodies(self._db, self._archive, self._redactor, self._world.declared)) as bodies:
            for hit in sorted(hits, key=_place):
                file, kind = rows[hit.file_id], EventKind(hit.kind)
                if typed_only and kind is EventKind.PROMPT:
                    text = bodies.typed_piece(file, hit.offset, hit.length, words)
                else:
                    text = bodies.piece(file, kind, hit.offset, hit.length, words)
                shown[hit.event_id] = _shown(hit, None if text is None else snippet(text, words, width))
        return [shown[hit.event_id] for hit in hits]

    @cached_property
    def _redactor(self) -> Redactor:
        return redactor_of(self._world)


@contextmanager
def searching(world: World) -> Iterator[Searcher]:
    with readonly_database(world.layout) as db:
        yield Searcher(world, db)


def find(
    world: World, query: str, wanted: Filter, kind: str, limit: int, width: int, *, typed_only: bool = False
) -> Answer:
    """One query, asked of a store that is opened for it."""
    with searching(world) as searcher:
        return searcher.find(query, wanted, kind, limit, width, typed_only=typed_only)


def _place(hit: TextHit) -> tuple[int, int]:
    return hit.file_id, hit.offset


def _shown(hit: TextHit, piece: str | None) -> Found:
    return Found(
        agent=hit.agent,
        session=hit.native_id,
        repo=hit.repo,
        title=hit.title,
        kind=hit.kind,
        at_ms=hit.at_ms,
        offset=hit.offset,
        snippet=piece,
    )
