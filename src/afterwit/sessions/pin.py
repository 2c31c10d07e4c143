"""Pinning sessions: a decision that the original of a session stays, whatever the budget says."""

from collections.abc import Sequence

import msgspec

from afterwit.config.world import World
from afterwit.sessions.filters import find_session
from afterwit.store.decide import SESSION_PINNED, SESSION_UNPINNED, catch_up, decide_all, report_if_recorded
from afterwit.store.rows.files import file_by_id, is_pinned
from afterwit.store.rows.parts import parts_of_session
from afterwit.store.store import hold_lease, open_store, require

_WAIT_SECONDS = 60


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one session."""

    agent: str
    session: str
    is_pinned: bool
    has_changed: bool
    is_dropped: bool  # an original of it was given up before


def pin(world: World, names: Sequence[str], *, is_wanted: bool = True) -> list[Pinned]:
    """Pins or unpins sessions. One that is not in the store is refused, and then nothing is decided."""
    require(world.layout)
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        catch_up(store)
        rows = {row.id: row for row in (find_session(store.db, name) for name in names)}
        changed = {row.id for row in rows.values() if is_pinned(store.db, row.agent, row.native_id) is not is_wanted}
        kind = SESSION_PINNED if is_wanted else SESSION_UNPINNED
        bodies = [{"agent": row.agent, "session": row.native_id} for row in rows.values() if row.id in changed]
        with report_if_recorded(store):
            decide_all(store, ((kind, body) for body in bodies), world.now_ms)
        done: list[Pinned] = []
        for row in rows.values():
            places = parts_of_session(store.db, row.id)
            done.append(
                Pinned(
                    agent=row.agent,
                    session=row.native_id,
                    is_pinned=is_wanted,
                    has_changed=row.id in changed,
                    is_dropped=any(file_by_id(store.db, place.file_id).is_dropped for place in places),
                )
            )
        return done
