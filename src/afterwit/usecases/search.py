"""Full-text search over what was said and done, with snippets from the archive."""

import apsw
import msgspec

from afterwit.capture.snippets import snippet
from afterwit.model.errors import UsageError
from afterwit.model.kinds import EventKind
from afterwit.store.archive import Archive
from afterwit.store.files import file_by_id
from afterwit.store.store import readonly_database
from afterwit.store.texts import Hit, count_hits, match_of, search, terms_of
from afterwit.usecases.bodies import Bodies
from afterwit.usecases.filters import Filter, selection_of
from afterwit.usecases.world import World, redactor_of


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


def find(world: World, query: str, wanted: Filter, kind: str, limit: int, width: int) -> Answer:
    """The best hits for a query as people type it, with snippets of about `width` characters."""
    terms = terms_of(query)
    match = match_of(terms)
    if not match:
        raise UsageError("Nothing to search for: give at least one word that is not excluded with `-`.")
    words = [term.text for term in terms if not term.is_excluded]
    with readonly_database(world.layout) as db:
        selection = selection_of(db, world.settings, wanted)
        hits = search(db, match, selection, kind, limit)
        total = len(hits) if not limit or len(hits) < limit else count_hits(db, match, selection, kind)
        found = _with_snippets(world, db, hits, words, width)
    return Answer(query=query, words=words, total=total, hits=found)


def _with_snippets(world: World, db: apsw.Connection, hits: list[Hit], words: list[str], width: int) -> list[Found]:
    if not hits:
        return []
    bodies = Bodies(db, Archive(world.layout.archive), redactor_of(world))
    rows = {file_id: file_by_id(db, file_id) for file_id in {hit.file_id for hit in hits}}
    found: list[Found] = []
    for hit in hits:
        text = bodies.piece(rows[hit.file_id], EventKind(hit.kind), hit.offset, hit.length, words)
        found.append(
            Found(
                agent=hit.agent,
                session=hit.native_id,
                repo=hit.repo,
                title=hit.title,
                kind=hit.kind,
                at_ms=hit.at_ms,
                offset=hit.offset,
                snippet=None if text is None else snippet(text, words, width),
            )
        )
    return found
