"""One item with all that stands behind it: every piece of evidence, and what people decided."""

from typing import NamedTuple

from afterwit.config.world import World
from afterwit.curation.undo import Past, past_of
from afterwit.decisions.decided import KnowledgeEntry, in_force
from afterwit.knowledge.list import find_item
from afterwit.knowledge.settle import recorded
from afterwit.model.knowledge import Evidence, Item
from afterwit.store.rows.session_list import session_of
from afterwit.store.store import readonly_database


class Backing(NamedTuple):
    """A piece of evidence, and whether its session can be opened."""

    evidence: Evidence
    is_here: bool


class Why(NamedTuple):
    """One item with all that stands behind it."""

    item: Item
    evidence: list[Backing]
    decisions: list[Past]


def why(world: World, name: str) -> Why:
    """All evidence, oldest first, and what people decided."""
    with readonly_database(world.layout) as db:
        item = find_item(db, name)
        own = {item.id, *item.merged}
        entries = [
            entry for entry in in_force(recorded(db)) if entry.item in own and entry.kind != KnowledgeEntry.JUDGED
        ]
        ordered = sorted(item.evidence, key=lambda piece: (piece.at_ms or piece.session.at_ms, piece.at or 0))
        return Why(
            item=item,
            evidence=[
                Backing(piece, session_of(db, piece.session.agent, piece.session.native_id) is not None)
                for piece in ordered
            ],
            decisions=[past_of(entry, is_undone=False) for entry in entries],
        )
