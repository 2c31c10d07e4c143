"""One item with all that stands behind it: every piece of evidence, and what people decided."""

from typing import NamedTuple

import apsw

from afterwit.config.world import World
from afterwit.curation.undo import Past, past_of
from afterwit.decisions.decided import KnowledgeEntry, in_force
from afterwit.knowledge.list import find_item
from afterwit.knowledge.settle import recorded
from afterwit.model.knowledge import Evidence, Item
from afterwit.sessions.short_ids import short_ids
from afterwit.store.rows.session_list import SessionRow, native_ids, session_of
from afterwit.store.store import readonly_database


class Backing(NamedTuple):
    """A piece of evidence, and as much of the id of its session as opens it; "" where it cannot be opened."""

    evidence: Evidence
    opens: str

    @property
    def is_here(self) -> bool:
        return bool(self.opens)


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
        short = short_ids(native_ids(db))
        return Why(
            item=item,
            evidence=[
                Backing(piece, short[row.native_id] if (row := _session(db, piece)) is not None else "")
                for piece in ordered
            ],
            decisions=[past_of(entry, is_undone=False) for entry in entries],
        )


def _session(db: apsw.Connection, piece: Evidence) -> SessionRow | None:
    return session_of(db, piece.session.agent, piece.session.native_id)
