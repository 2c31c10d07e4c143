"""Full-text search over what was said and done, with snippets from the archive.

A program that stays (a server, a benchmark) keeps a `Searcher`; a command asks once with `search`. The database holds
where a text lies, not what it says: only the frames of the archive that hold the record are unpacked. Texts are cleaned
and redacted before they leave this module.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property, partial

import apsw
import msgspec

from afterwit.actions import tools
from afterwit.agents.declared.description import Description
from afterwit.agents.protocol import FileReading, SourceFile
from afterwit.agents.registry import reader_for, tool_kinds
from afterwit.capture.assembly.texts import safe_piece
from afterwit.capture.derived import Origin, origin_in
from afterwit.capture.part_rows import companion_bytes
from afterwit.config.world import World, redactor_of
from afterwit.guard.redaction import Redactor
from afterwit.model.errors import DamagedError, UsageError
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Reading
from afterwit.sessions.filters import Filter, selection_of
from afterwit.sources.documents import Piecemeal, read_piece
from afterwit.sources.framing import Framing, Record
from afterwit.sources.lines import Chunks, is_packed, lines_of
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.frames import ArchivedFile
from afterwit.store.rows.files import FileRow, files_by_id
from afterwit.store.rows.texts import TextHit, count_hits, match_of, terms_of
from afterwit.store.rows.texts import search as search_texts
from afterwit.store.store import readonly_database
from afterwit.text.pasted import own_words
from afterwit.text.words import snippet

_WORD = re.compile(r"\w+")


class Bodies:
    """Reads texts of events, one at a time. The file of the last one stays open until `close`: asking file by file, in
    the order of the records, is cheapest."""

    def __init__(
        self, db: apsw.Connection, archive: Archive, redactor: Redactor, declared: tuple[Description, ...] = ()
    ) -> None:
        self._db = db
        self._archive = archive
        self._redactor = redactor
        self._declared = declared
        self._origins: dict[int, Origin] = {}
        self._last: tuple[ArchiveName, ArchivedFile] | None = None

    def close(self) -> None:
        if self._last is not None:
            self._last[1].close()
            self._last = None

    def piece(self, file: FileRow, kind: EventKind, offset: int, length: int, wanted: Sequence[str]) -> str | None:
        """What the event says around the wanted words, or None where the archive does not hold it any more. Of several
        events of this kind in one record, the first that holds a wanted word."""
        texts = self._texts(file, kind, offset, length)
        if texts is None:
            return None
        chosen = next((text for text in texts if _holds(text, wanted)), texts[0] if texts else None)
        return None if chosen is None else safe_piece(chosen, wanted, self._redactor)

    def typed_piece(self, file: FileRow, offset: int, length: int, wanted: Sequence[str]) -> str | None:
        """The same of a prompt, without what was pasted into it; "" where the words stand only there."""
        texts = self._texts(file, EventKind.PROMPT, offset, length)
        if not texts:
            return None
        words = [word for term in wanted for word in _WORD.findall(term)]
        typed = next((text for text in map(own_words, texts) if _holds(text, words)), "")
        return safe_piece(typed, wanted, self._redactor)

    def _texts(self, file: FileRow, kind: EventKind, offset: int, length: int) -> list[str] | None:
        try:
            events = self._events(file, offset, length)
        except DamagedError:
            return None
        return [_said(file.agent, event) for event in events if event.kind is kind]

    def _events(self, file: FileRow, offset: int, length: int) -> list[Event]:
        reader = reader_for(file.agent, self._declared)
        origin = self._origin(file)
        if reader is None:
            return []
        reading = reader.start(SourceFile(origin.path, partial(companion_bytes, self._db, self._archive, origin)))
        raw = self._raw(file, origin, offset, length)
        return [event for event in _alone(reading, raw) if isinstance(event, Event)]

    def _raw(self, file: FileRow, origin: Origin, offset: int, length: int) -> bytes:
        if not is_packed(origin.path):
            return self._held(file).read(offset, length)
        name = file.archived_as
        whole = lines_of(origin.path, Chunks(self._archive.read(name, file.held_bytes)))
        whole.read(offset)
        return whole.read(length)

    def _origin(self, file: FileRow) -> Origin:
        if file.id not in self._origins:
            self._origins[file.id] = origin_in(self._held(file).header)
        return self._origins[file.id]

    def _held(self, file: FileRow) -> ArchivedFile:
        name = file.archived_as
        if self._last is None or self._last[0] != name:
            self.close()
            self._last = (name, self._archive.held(name))
        return self._last[1]


def _alone(reading: FileReading, raw: bytes) -> Iterable[Reading]:
    """What one record says by itself: a line, or a piece of a document or text."""
    if isinstance(reading, Piecemeal):
        return read_piece(reading, Record(0, len(raw), raw))
    return Framing(reading).read([raw + b"\n"])


def _holds(text: str, wanted: Sequence[str]) -> bool:
    return any(word.casefold() in text.casefold() for word in wanted)


def _said(agent: str, event: Event) -> str:
    if event.kind is not EventKind.CALL:
        return event.text
    arguments = event.arguments or {}
    return tools.target_of(tools.kind_of(tool_kinds(agent), event.tool, arguments), event.tool, arguments)


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


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    query: str
    words: list[str]  # what was looked for
    total: int
    hits: list[SearchHit]


class Searcher:
    """SearchAnswers queries to a store that stays open. Made by `searching`."""

    def __init__(self, world: World, db: apsw.Connection) -> None:
        self._world = world
        self._db = db
        self._archive = Archive(world.layout.archive)

    def search(
        self, query: str, wanted: Filter, kind: str, limit: int, width: int, *, typed_only: bool = False
    ) -> SearchAnswer:
        """The best hits for a query as people type it, with snippets of about `width` characters. With `typed_only`
        prompts are shown without what was pasted into them."""
        terms = terms_of(query)
        match = match_of(terms)
        if not match:
            raise UsageError("Nothing to search for: give at least one word that is not excluded with `-`.")
        words = [term.text for term in terms if not term.is_excluded]
        selection = selection_of(self._db, self._world.settings, wanted)
        hits = search_texts(self._db, match, selection, kind, limit)
        total = len(hits) if not limit or len(hits) < limit else count_hits(self._db, match, selection, kind)
        return SearchAnswer(
            query=query, words=words, total=total, hits=self._with_snippets(hits, words, width, typed_only=typed_only)
        )

    def _with_snippets(self, hits: list[TextHit], words: list[str], width: int, *, typed_only: bool) -> list[SearchHit]:
        if not hits:
            return []
        rows = files_by_id(self._db, {hit.file_id for hit in hits})
        shown: dict[int, SearchHit] = {}
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


def search(
    world: World, query: str, wanted: Filter, kind: str, limit: int, width: int, *, typed_only: bool = False
) -> SearchAnswer:
    """One query, asked of a store that is opened for it."""
    with searching(world) as searcher:
        return searcher.search(query, wanted, kind, limit, width, typed_only=typed_only)


def _place(hit: TextHit) -> tuple[int, int]:
    return hit.file_id, hit.offset


def _shown(hit: TextHit, piece: str | None) -> SearchHit:
    fields = {name: getattr(hit, name) for name in ("agent", "repo", "title", "kind", "at_ms", "offset")}
    return SearchHit(session=hit.native_id, snippet=piece, **fields)
