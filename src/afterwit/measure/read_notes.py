"""What models read in the sessions of a replay: known from the end of the session that it came from, and counted.

Which entries of the journal are in force is left to `store.decisions.decided`, what may be used to the gate, what means
the same to `merging`. Of a reading only the session counts, not the day on which a model was asked: the replay shows
what would have been said had every session been read when it ended. What a reading says of notes that were found
otherwise (it confirms or contradicts them) is known from the same moment. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import msgspec

from afterwit.harvest.harvester import id_of
from afterwit.knowledge.merging import Union, merged
from afterwit.measure.player import PlayerNote
from afterwit.model.knowledge import Draft, Evidence, Scope, SessionRef
from afterwit.store.decisions.decided import ItemEvidence, KnowledgeEntry, Recorded, decided

_ENTRIES = (KnowledgeEntry.READ, KnowledgeEntry.FORGOTTEN, KnowledgeEntry.UNDONE)
_Key = tuple[str, str]  # a session's agent and native id


class SessionReading(msgspec.Struct, frozen=True):
    """What was read in one session."""

    drafts: tuple[Draft, ...] = ()
    relations: tuple[ItemEvidence, ...] = ()  # what it confirms or contradicts


Readings = Mapping[_Key, SessionReading]
NOTHING_READ: Readings = {}


def readings_of(entries: Sequence[Recorded]) -> Readings:
    """What was read, by session, without what was taken back or is to be forgotten."""
    read = decided([entry for entry in entries if entry.kind in _ENTRIES])
    drafts: defaultdict[_Key, list[Draft]] = defaultdict(list)
    relations: defaultdict[_Key, list[ItemEvidence]] = defaultdict(list)
    for draft in read.drafts:
        for piece in draft.evidence[:1]:
            if not read.forgotten.takes(piece):
                drafts[_key(piece.session)].append(draft)
    for item, pieces in read.reports.items():
        for piece in pieces:
            if not read.forgotten.takes(piece):
                relations[_key(piece.session)].append(ItemEvidence(item=item, evidence=piece))
    return {
        key: SessionReading(tuple(drafts[key]), tuple(relations[key])) for key in sorted({*drafts.keys(), *relations})
    }


def _key(session: SessionRef) -> _Key:
    return session.agent, session.native_id


class ReadShelf:
    """What was read in the sessions that have ended by now."""

    def __init__(self, readings: Readings, is_let_in: Callable[[Draft], bool]) -> None:
        self._readings = readings
        self._is_let_in = is_let_in
        self._ended: dict[_Key, SessionReading] = {}
        self._reports: defaultdict[str, list[Evidence]] = defaultdict(list)
        self._unions: tuple[Union, ...] | None = ()

    @property
    def size(self) -> int:
        """How many notes there are."""
        return len(self._all())

    @property
    def ids(self) -> frozenset[str]:
        """Of all these notes, those that were merged into others included."""
        return frozenset(name for union in self._all() for name in (union.id, *union.absorbed))

    def end(self, session: SessionRef) -> None:
        """A session has ended: what was read in it is known, as evidence of this session."""
        reading = self._readings.get(_key(session))
        if reading is None or _key(session) in self._ended:
            return
        own = SessionReading(
            tuple(_of_session(draft, session) for draft in reading.drafts),
            tuple(
                ItemEvidence(item=said.item, evidence=msgspec.structs.replace(said.evidence, session=session))
                for said in reading.relations
            ),
        )
        self._ended[_key(session)] = own
        for said in own.relations:
            self._reports[said.item].append(said.evidence)
        self._unions = None

    def unions(self, scopes: Set[Scope]) -> list[Union]:
        """What was read and holds in these scopes."""
        return [union for union in self._all() if union.draft.scope in scopes]

    def reported(self, unions: Iterable[Union]) -> Iterator[Union]:
        """Notes that were found otherwise, with what readings say of them."""
        for union in unions:
            pieces = [piece for name in (union.id, *union.absorbed) for piece in self._reports.get(name, ())]
            yield union._replace(draft=_with(union.draft, pieces)) if pieces else union

    def _all(self) -> tuple[Union, ...]:
        if self._unions is None:
            drafts = (draft for reading in self._ended.values() for draft in reading.drafts)
            backed = (_with(draft, self._reports.get(id_of(draft), ())) for draft in drafts)
            self._unions = merged(draft for draft in backed if self._is_let_in(draft)).unions
        return self._unions


def _of_session(draft: Draft, session: SessionRef) -> Draft:
    evidence = tuple(msgspec.structs.replace(piece, session=session) for piece in draft.evidence)
    return msgspec.structs.replace(draft, evidence=evidence)


def _with(draft: Draft, pieces: Iterable[Evidence]) -> Draft:
    return msgspec.structs.replace(draft, evidence=(*draft.evidence, *pieces))


class ReplayedReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the notes that models read did in a replay."""

    notes: int  # that were known in time for some session
    told: int  # of these, at least once
    sessions: int  # in which one was told
    moments: dict[str, int]  # how often one was told, by moment


class _Telling(NamedTuple):
    session: str
    moment: str
    item: str


class ReadingTally:
    """Counts what was told, session by session; which of it was read is known at the end."""

    def __init__(self) -> None:
        self._told: list[_Telling] = []

    def take(self, notes: Iterable[PlayerNote]) -> None:
        for note in notes:
            moment = str(note.occasion or note.moment)
            self._told += [_Telling(note.session, moment, item) for item in note.item.split()]

    def of(self, shelf: ReadShelf) -> ReplayedReading:
        """The counts, where this is what was read."""
        read = shelf.ids
        told = [telling for telling in self._told if telling.item in read]
        return ReplayedReading(
            notes=shelf.size,
            told=len({telling.item for telling in told}),
            sessions=len({telling.session for telling in told}),
            moments=dict(sorted(Counter(telling.moment for telling in told).items())),
        )
