"""One item with all that stands behind it: what speaks for it and against it, and what people decided.

Of files that change together the changes themselves are told: which of the files, in which session, when. Sessions are
counted as they count for belief: independent ones, and how many days they lie on. A sentence out of a turn may mean
something else than the turn, so whoever looks at a note in the user's words sees all that they typed at that moment,
redacted and within bounds, with a line each of what the agent had said last and said next, as the archive has it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.config.calendar import Calendar
from afterwit.config.world import World
from afterwit.digest.door import load_digest
from afterwit.engine.curation.undo import Past, past_of
from afterwit.harvest.door import Stories
from afterwit.knowledge.belief import HALF_LIFE_DAYS, belief_by, prior_of
from afterwit.knowledge.brief import ENTRIES, pages_of
from afterwit.knowledge.door.list import find_item
from afterwit.model.brief import Line
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, EventKind, Status
from afterwit.model.knowledge import PERSON, Channel, Evidence, Item, ScopeKind
from afterwit.model.text import words_of
from afterwit.sessions.filters import one_line, short_id
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.show import CopiedEvents, GoneTexts, SessionMoment, WantedMoments, moments
from afterwit.store.decisions import JournalEntry, KnowledgeEntry, in_force
from afterwit.store.rows.items import recorded, recorded_about
from afterwit.store.rows.session_list import Selection, SessionRow, select_sessions, session_of
from afterwit.store.store import readonly_database

_MOST_TURNS = 8  # that are read for one note, the newest
_MOST_CHARS = 2_000
_LINE_CHARS = 200
_COMPARED_CHARS = 80  # of an excerpt, which may be cut
_SPOKEN = WantedMoments(frozenset((EventKind.PROMPT, EventKind.REPLY)), has_arguments=False)


class PersonTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What a person typed, between what the agent said."""

    words: str = ""  # "": the archive does not hold them
    left_out: int = 0  # characters of them
    before: str = ""
    after: str = ""
    gone: str = ""  # why the archive does not hold all of it


def turns_behind(world: World, evidence: Iterable[Evidence]) -> Mapping[Evidence, PersonTurn]:
    """By piece of evidence, of those that are a user's words."""
    typed = [piece for piece in evidence if piece.channel is Channel.USER and piece.excerpt]
    if not typed:
        return {}
    newest = sorted(typed, key=lambda piece: -(piece.at_ms or piece.session.at_ms))[:_MOST_TURNS]
    turns: dict[Evidence, PersonTurn] = {}
    with source_of(world) as source:
        for piece in newest:
            row = session_of(source.store.db, piece.session.agent, piece.session.native_id)
            turn = _turn_in(source, row, piece) if row is not None else None
            turns |= {piece: turn} if turn is not None else {}
    return turns


def _turn_in(source: TranscriptSource, session: SessionRow, piece: Evidence) -> PersonTurn | None:
    """None where the session has no such turn of its own, as where it is a copy of another."""
    before = gone = ""
    turn: PersonTurn | None = None
    for moment in moments(source, session, _SPOKEN):
        if isinstance(moment, GoneTexts):
            gone = moment.reason
        elif isinstance(moment, CopiedEvents):
            continue
        elif turn is not None:
            after = one_line(moment.text or "", _LINE_CHARS) if moment.kind is EventKind.REPLY else ""
            return msgspec.structs.replace(turn, after=after)
        elif moment.kind is EventKind.REPLY:
            before = _last_words(moment.text or "") or before
        elif _is_meant(moment, piece):
            text = (moment.text or "").strip()
            left_out = max(0, len(text) - _MOST_CHARS)
            turn = PersonTurn(words=text[:_MOST_CHARS], left_out=left_out, before=before, gone=gone)
    return turn


def _last_words(text: str) -> str:
    """The end of a text on one line: what a turn answers stands there."""
    line = " ".join(text[-_LINE_CHARS * 4 :].split())
    return line if len(line) <= _LINE_CHARS else f"…{line[-_LINE_CHARS:].lstrip()}"


def _is_meant(moment: SessionMoment, piece: Evidence) -> bool:
    """Whether the excerpt is of this turn: by its words, and by its moment where the words are gone."""
    if piece.at_ms and moment.at_ms != piece.at_ms:
        return False
    if not moment.text:
        return bool(piece.at_ms)
    begins = " ".join(piece.excerpt.split())[:_COMPARED_CHARS].rstrip("…")
    return begins in " ".join(moment.text.split())


_HAPPENED = (Status.SUCCEEDED, Status.UNKNOWN)


class FileEdits(msgspec.Struct, frozen=True, kw_only=True):
    """What one session did to one of the files that an item speaks of."""

    path: str
    agent: str
    session: str
    at_ms: int | None  # of the first change
    changes: int


class Backing(NamedTuple):
    """A piece of evidence, how its session is opened, and the changes of files that it stands for."""

    evidence: Evidence
    opens: str  # as much of the id of its session as opens it; "" where it cannot be opened
    edits: tuple[FileEdits, ...] = ()
    turn: PersonTurn | None = None  # of which its excerpt is a part

    @property
    def is_here(self) -> bool:
        return bool(self.opens)


class EvidenceSide(msgspec.Struct, frozen=True, kw_only=True):
    """How much speaks for an item, or against it. What people wrote themselves is not counted."""

    independent_sessions: int
    sessions: int
    days: int
    since_ms: int | None
    last_ms: int | None


class Why(NamedTuple):
    """One item with all that stands behind it."""

    item: Item
    evidence: list[Backing]
    decisions: list[Past]

    def side(self, calendar: Calendar, *, is_against: bool) -> EvidenceSide:
        """What speaks for it, or against it, in numbers."""
        pieces = (backing.evidence for backing in self.evidence if backing.evidence.is_against is is_against)
        return side_of(pieces, calendar)


def why(world: World, name: str, *, has_turns: bool = False) -> Why:
    """All evidence, oldest first, and what people decided. `has_turns`: with whole turns, which takes a look at
    transcripts."""
    answer = _without_turns(world, name)
    if not has_turns or answer.item.channel is not Channel.USER:
        return answer
    turns = turns_behind(world, answer.item.evidence)
    return answer._replace(evidence=[backing._replace(turn=turns.get(backing.evidence)) for backing in answer.evidence])


def line_with(world: World, name: str) -> Line | None:
    """The line of a brief with this id, or whose id begins so, if there is one alone."""
    with readonly_database(world.layout) as db:
        pages = pages_of(in_force(recorded_about(db, (), ENTRIES)))
    near = {line.id: line for page in pages.values() for line in page.lines if name and line.id.startswith(name)}
    return next(iter(near.values())) if len(near) == 1 else None


def _without_turns(world: World, name: str) -> Why:
    with readonly_database(world.layout) as db:
        item = find_item(db, name)
        own = {item.id, *item.merged}
        entries = [
            entry
            for entry in in_force(recorded(db))
            if (entry.item in own and entry.kind != KnowledgeEntry.JUDGED) or _settles(entry, own)
        ]
        edits = _edits_behind(db, item)
        return Why(
            item=item,
            evidence=[
                Backing(
                    piece,
                    short_id(db, row.native_id) if (row := _session(db, piece)) is not None else "",
                    edits.get(piece.session.story, ()),
                )
                for piece in sorted(item.evidence, key=lambda piece: (moment_of(piece), piece.at or 0))
            ],
            decisions=[past_of(entry, is_undone=False) for entry in entries],
        )


def _settles(entry: JournalEntry, own: Iterable[str]) -> bool:
    """Whether a model said something of one of these items, and it was taken."""
    if entry.kind != KnowledgeEntry.CONSOLIDATED:
        return False
    groups = (group for field in ("same", "replaced", "contradict") for group in entry.body.get(field, ()))
    return not {name for group in groups for name in group}.isdisjoint(own)


def moment_of(piece: Evidence) -> int:
    """When it was seen."""
    return piece.at_ms or piece.session.at_ms


def side_of(pieces: Iterable[Evidence], calendar: Calendar) -> EvidenceSide:
    counted = [piece for piece in pieces if piece.session.agent != PERSON]
    moments = [moment_of(piece) for piece in counted if moment_of(piece)]
    return EvidenceSide(
        independent_sessions=len({piece.session.story for piece in counted}),
        sessions=len({(piece.session.agent, piece.session.native_id) for piece in counted}),
        days=len({calendar.date(at_ms) for at_ms in moments}),
        since_ms=min(moments, default=None),
        last_ms=max(moments, default=None),
    )


def _session(db: apsw.Connection, piece: Evidence) -> SessionRow | None:
    return session_of(db, piece.session.agent, piece.session.native_id)


def line_that_tells(item: Item, excerpt: str) -> int:
    """Which line of an excerpt shows what the item says: the one that shares most words with it."""
    signs = (trigger.signature for trigger in item.triggers)
    meant = frozenset(words_of(" ".join((item.sentence, item.advice, *signs))))
    shared = [len(meant & frozenset(words_of(line))) for line in excerpt.splitlines()]
    return shared.index(max(shared)) if shared else 0


class ConfidenceThen(NamedTuple):
    """How certain a note was by the evidence of its time, after one more piece of it."""

    at_ms: int
    confidence: float
    is_against: bool


def confidence_path(item: Item) -> list[ConfidenceThen]:
    """How confidence went from the first piece of evidence to the last, by evidence alone: what people decided, and
    what is left out because sessions were told the note, is not in it."""
    prior = prior_of(item.harvester, item.channel)
    half_life = None if item.is_pinned else HALF_LIFE_DAYS[item.category]
    pieces = sorted(item.evidence, key=moment_of)
    path: list[ConfidenceThen] = []
    for number, piece in enumerate(pieces, 1):
        then = belief_by(prior, pieces[:number], now_ms=moment_of(piece), half_life_days=half_life)
        path.append(ConfidenceThen(moment_of(piece), round(then.mean, 3), piece.is_against))
    return path


def _edits_behind(db: apsw.Connection, item: Item) -> Mapping[str, tuple[FileEdits, ...]]:
    """By independent session, what became of the files that an item says belong together; nothing for other items."""
    files = {*item.files, *(trigger.path for trigger in item.triggers if trigger.path)}
    if item.channel is not Channel.OUTCOME or item.advice or not item.files or item.scope.kind is not ScopeKind.REPO:
        return {}
    wanted = {piece.session.story for piece in item.evidence}
    stories = Stories(db)
    edits: dict[str, tuple[FileEdits, ...]] = {}
    for row in list(select_sessions(db, Selection(repos=frozenset((item.scope.name,))))):
        story = stories.of(row)
        digest = load_digest(db, row) if story in wanted else None
        if digest is not None:
            edits[story] = (*edits.get(story, ()), *_edits_in(digest, sorted(files)))
    return edits


def _edits_in(digest: Digest, files: Sequence[str]) -> Iterable[FileEdits]:
    for path in files:
        steps = [
            step for step in digest.steps if path in step.files and step.kind in CHANGES and step.status in _HAPPENED
        ]
        if steps:
            at_s = steps[0].at_s
            yield FileEdits(
                path=path,
                agent=digest.agent,
                session=digest.native_id,
                at_ms=None if at_s is None or digest.started_ms is None else digest.started_ms + 1_000 * at_s,
                changes=len(steps),
            )
