"""The record of originals that were given up for space."""

import msgspec

from afterwit.store.layout import Layout
from afterwit.store.rows import originals as raw
from afterwit.store.rows.originals import LOST
from afterwit.store.store import readonly_database


class DroppedSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One original that is gone. What remains of it is in the archive and the database."""

    agent: str
    path: str
    sessions: list[str]
    bytes: int  # of the original
    dropped_ms: int
    sha256: str
    is_data_loss: bool  # it had not been analysed


def dropped(layout: Layout) -> list[DroppedSeen]:
    """The latest first."""
    with readonly_database(layout) as db:
        found = raw.dropped_files(db)
        names = raw.sessions_in(db, [one.id for one in found])
    return [
        DroppedSeen(
            agent=one.agent,
            path=one.path,
            sessions=[name.native_id for name in names.get(one.id, [])],
            bytes=one.dropped_bytes,
            dropped_ms=one.dropped_ms,
            sha256=one.sha256,
            is_data_loss=one.state == LOST,
        )
        for one in found
    ]
