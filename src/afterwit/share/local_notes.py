"""The notes of a repository as they are here, by the ids that they have in its share."""

import apsw

from afterwit.decisions.decided import SharedState, decided, shared_states, will_of
from afterwit.knowledge.list import all_items
from afterwit.knowledge.settle import recorded
from afterwit.model.knowledge import IMPORT, Scope, ScopeKind
from afterwit.share.outgoing import LocalNote


def local_notes(db: apsw.Connection, repo: str) -> dict[str, LocalNote]:
    """All of them. One that was found here goes before one of the same id that came from a share."""
    entries = recorded(db)
    decisions = decided(entries).decisions
    names = {state.item: own for (_, own), state in shared_states(entries).items() if state.item}
    scope = Scope(ScopeKind.REPO, repo)
    notes: dict[str, LocalNote] = {}
    for item in sorted(all_items(db), key=lambda item: item.harvester != IMPORT):
        is_from_share = item.harvester == IMPORT
        own = names.get(item.id, "") if is_from_share else item.id
        if own and item.scope == scope:
            will = will_of(decision for name in (item.id, *item.merged) for decision in decisions.get(name, ()))
            notes[own] = LocalNote(item, will, is_from_share)
    return notes


def known_states(db: apsw.Connection, source: str) -> dict[str, SharedState]:
    """What the journal holds of a share."""
    return {own: state for (share, own), state in shared_states(recorded(db)).items() if share == source}
