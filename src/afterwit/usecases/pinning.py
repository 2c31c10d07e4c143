"""Pinning sessions: a decision that the original of a session stays, whatever the budget says."""

from collections.abc import Sequence

import msgspec

from afterwit.store.files import file_by_id
from afterwit.store.lease import held
from afterwit.store.pins import is_pinned
from afterwit.store.store import opened, require
from afterwit.store.transcripts import part_places
from afterwit.usecases.decisions import SESSION_PINNED, SESSION_UNPINNED, catch_up, decide
from afterwit.usecases.filters import find_session
from afterwit.usecases.world import World

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
    with held(world.layout.lease, _WAIT_SECONDS), opened(world.layout) as store:
        catch_up(store)
        rows = [find_session(store.db, name) for name in names]
        done: list[Pinned] = []
        for row in rows:
            has_changed = is_pinned(store.db, row.agent, row.native_id) is not is_wanted
            if has_changed:
                kind = SESSION_PINNED if is_wanted else SESSION_UNPINNED
                decide(store, kind, {"agent": row.agent, "session": row.native_id}, world.now_ms)
            places = part_places(store.db, row.id)
            done.append(
                Pinned(
                    agent=row.agent,
                    session=row.native_id,
                    is_pinned=is_wanted,
                    has_changed=has_changed,
                    is_dropped=any(file_by_id(store.db, place.file_id).is_dropped for place in places),
                )
            )
        return done
