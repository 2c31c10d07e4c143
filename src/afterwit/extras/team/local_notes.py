"""The notes of a repository as they are here, by the ids that they have in its share."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from afterwit.extras.team.outgoing import LocalNote
from afterwit.knowledge.door.list import all_items, item_in
from afterwit.knowledge.door.settle import recorded, recorded_about
from afterwit.model.knowledge import IMPORT, Item, Scope, ScopeKind
from afterwit.store.decisions import Decision, KnowledgeEntry, SharedState, gather_decisions, states_of_shares, will_of
from afterwit.store.rows import items as item_rows


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


def changed_notes(db: apsw.Connection, repo: str, items: Collection[str], shared: Collection[str]) -> ChangedNotes:
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
