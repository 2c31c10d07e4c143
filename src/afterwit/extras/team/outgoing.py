"""What leaves for a share: the lines that this machine has to say about the notes of a repository. Pure.

A note leaves when a person approved it, or by policy when it is in use and was found by counting. What a user typed is
theirs: it leaves only when somebody names it as a rule of the project. A word on somebody else's note leaves, whatever
it is; what is rejected here is rejected there, if it was ever shared. A note that is gone here takes its lines along.
A line of the brief that a person wrote or holds on to travels as a note that they approved.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.extras.team.records import (
    MOST_PIECES,
    LineKind,
    SharedLine,
    SharedNote,
    SharedPiece,
    SharedWords,
    mark_of,
    one_line,
    piece_of,
)
from afterwit.knowledge.brief import ENTRIES, pages_of
from afterwit.knowledge.door.list import all_items, item_in
from afterwit.knowledge.shown_items import for_others, may_be_told
from afterwit.knowledge.whose_words import is_personal
from afterwit.model.brief import Heading, Line
from afterwit.model.knowledge import (
    IMPORT,
    PERSON,
    SENTENCE_LIMIT,
    Authority,
    Belief,
    Category,
    Channel,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
)
from afterwit.model.settings import SharePolicy
from afterwit.redaction.markers import unkeyed
from afterwit.store.decisions import (
    Decision,
    KnowledgeEntry,
    SharedState,
    Will,
    gather_decisions,
    in_force,
    states_of_shares,
    will_of,
)
from afterwit.store.rows import items as item_rows
from afterwit.store.rows.items import recorded, recorded_about

_KINDS = {  # of a note that stands under such a heading elsewhere
    Heading.MUST: Category.FACT,
    Heading.WISH: Category.PATTERN,
    Heading.MACHINE: Category.TOOL_QUIRK,
    Heading.TRAP: Category.PITFALL,
}


class Sharer(NamedTuple):
    """Who speaks, and by which rules."""

    by: str
    machine: str
    policy: SharePolicy
    rules: Collection[str] = ()  # notes that were named as rules of the project, by their ids here


class LocalNote(NamedTuple):
    """A note as it is here, and what people want of it."""

    item: Item
    will: Will
    is_from_share: bool


def own_lines(
    notes: Mapping[str, LocalNote],
    shared: Mapping[str, SharedNote],
    before: Mapping[str, Collection[SharedLine]],
    sharer: Sharer,
    repo: str,
    clock_ms: int,
) -> dict[str, tuple[SharedLine, ...]]:
    """The lines of this machine, by the id that a note has in the share; `before` are those that it has there now."""
    lines = {
        own: tuple(_lines(own, note, shared, before.get(own, ()), sharer, repo, clock_ms))
        for own, note in notes.items()
    }
    gone = {own: () for own in before if own not in notes}
    return {own: some for own, some in (lines | gone).items() if some or own in before}


def _lines(
    own: str,
    note: LocalNote,
    shared: Mapping[str, SharedNote],
    before: Collection[SharedLine],
    sharer: Sharer,
    repo: str,
    clock_ms: int,
) -> Iterator[SharedLine]:
    def line(
        kind: LineKind, words: SharedWords | None = None, piece: SharedPiece | None = None, of: str = ""
    ) -> SharedLine:
        spoken = SharedLine(kind=kind, by=sharer.by, machine=sharer.machine, clock_ms=clock_ms, of=of)
        return msgspec.structs.replace(spoken, words=words, evidence=piece)

    earlier = [line for line in before if line.words is not None]
    if note.will.why_out:
        if own in shared:
            yield from earlier
            yield line(LineKind.REJECTED)
        return
    item = for_others(note.item)
    approved = mark_of(words_of(item, repo))
    if note.is_from_share:
        is_kept = note.will.is_approved and item.status is ItemStatus.ACTIVE
        if is_kept and own in shared and note.will.changes.named:
            yield line(LineKind.NOTE, words_of(item, repo))
        if is_kept:
            yield line(LineKind.APPROVED, of=approved)
        return
    if not is_offered(note, sharer, was_offered=bool(earlier)):
        return
    yield line(LineKind.NOTE, words_of(item, repo))
    if note.will.is_approved:
        yield line(LineKind.APPROVED, of=approved)
    for piece in _pieces(item):
        yield line(LineKind.EVIDENCE, piece=piece)


def is_offered(note: LocalNote, sharer: Sharer, *, was_offered: bool) -> bool:
    """Whether a note that was found here leaves."""
    item = note.item
    if item.status is not ItemStatus.ACTIVE or item.scope.kind is not ScopeKind.REPO or not may_be_told(item):
        return False
    if is_personal(item):
        return was_offered or item.id in sharer.rules
    is_counted = item.channel is Channel.OUTCOME
    return item.is_decided or (sharer.policy is SharePolicy.IN_USE and is_counted)


def words_of(item: Item, repo: str) -> SharedWords:
    """What an item says, as others read it. `repo`: the one that the share lies in, which needs no name there."""
    return SharedWords(
        fact=one_line(unkeyed(item.sentence), SENTENCE_LIMIT),
        category=item.category,
        repo="" if item.scope.name == repo else item.scope.name,
        triggers=item.triggers,
        advice=unkeyed(item.advice),
        files=item.files,
        saves=item.saves,
        when=unkeyed(item.when),
        form=item.kind,
    )


def _pieces(item: Item) -> Iterable[SharedPiece]:
    """The newest evidence for it."""
    speaking = {piece_of(piece) for piece in item.evidence if not piece.is_against}
    return sorted(speaking, key=lambda piece: (-piece.at_ms, piece.hash))[:MOST_PIECES]


def page_notes(db: apsw.Connection, repo: str) -> dict[str, LocalNote]:
    """The lines that a person wrote on the page of a repository, or holds on to, as notes."""
    page = pages_of(in_force(recorded_about(db, (), ENTRIES))).get(repo)
    lines = page.own if page is not None else ()
    return {line.id: LocalNote(_note_of(line, repo), Will(is_pinned=True), is_from_share=False) for line in lines}


def _note_of(line: Line, repo: str) -> Item:
    return Item(
        id=line.id,
        harvester=PERSON,
        scope=Scope(ScopeKind.REPO, repo),
        category=_KINDS[line.heading or Heading.TRAP],
        sentence=line.text,
        status=ItemStatus.ACTIVE,
        authority=Authority.GUIDANCE,
        channel=Channel.USER,
        belief=Belief(1, 0),
        triggers=line.triggers,
        is_decided=True,
    )


def local_notes(db: apsw.Connection, repo: str) -> dict[str, LocalNote]:
    """All of them. One that was found here goes before one of the same id that came from a share."""
    entries = recorded(db)
    decisions = gather_decisions(entries).decisions
    names = {state.item: own for (_, own), state in states_of_shares(entries).items() if state.item}
    return _by_shared_id(all_items(db), repo, decisions, names)


class ChangedNotes(NamedTuple):
    """Some notes as they are here, and all that were asked about, also those that are not."""

    notes: dict[str, LocalNote]
    ids: frozenset[str]  # that they have in the share


def notes_that_changed(db: apsw.Connection, repo: str, items: Collection[str], shared: Collection[str]) -> ChangedNotes:
    """The notes of these items, which may be gone, and those with these ids in the share. The rest is not looked at."""
    rows = item_rows.items_with_ids(db, items)
    may_be_imported = bool(shared) or len(rows) < len(items) or any(row.harvester == IMPORT for row in rows)
    states = states_of_shares(recorded_about(db, (), (KnowledgeEntry.SHARED,))) if may_be_imported else {}
    names = {state.item: own for (_, own), state in states.items() if state.item}
    ids = frozenset((*shared, *(names.get(item, item) for item in items)))
    wanted = {*ids, *(item for item, own in names.items() if own in ids)}
    items_here = [item_in(row) for row in item_rows.items_with_ids(db, wanted)]
    about = [name for item in items_here for name in (item.id, *item.merged)]
    kinds = (KnowledgeEntry.SHARED,) if any(item.harvester == IMPORT for item in items_here) else ()
    decisions = gather_decisions(recorded_about(db, about, kinds)).decisions
    return ChangedNotes(_by_shared_id(items_here, repo, decisions, names), ids)


def _by_shared_id(
    items: Iterable[Item], repo: str, decisions: Mapping[str, Sequence[Decision]], names: Mapping[str, str]
) -> dict[str, LocalNote]:
    scope = Scope(ScopeKind.REPO, repo)
    notes: dict[str, LocalNote] = {}
    for item in sorted(items, key=lambda item: item.harvester != IMPORT):
        is_from_share = item.harvester == IMPORT
        own = names.get(item.id, "") if is_from_share else item.id
        if own and item.scope == scope:
            will = will_of(decision for name in (item.id, *item.merged) for decision in decisions.get(name, ()))
            notes[own] = LocalNote(item, will, is_from_share)
    return notes


def known_states(db: apsw.Connection, source: str) -> dict[str, SharedState]:
    """What the journal holds of a share."""
    entries = recorded_about(db, (), (KnowledgeEntry.SHARED,))
    return {own: state for (share, own), state in states_of_shares(entries).items() if share == source}
