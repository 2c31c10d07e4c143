"""The store as the next `learn` would leave it, to look at and then to throw away.

Transcripts that are new or changed go through `learn` itself, inside a transaction that is rolled back: copied history,
repositories and digests come out as they will once they are learned. Where nothing is new, the store is opened for
reading and costs nothing more. Writes nothing that stays.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import apsw

from afterwit.capture.plan import Pending, homes, plan
from afterwit.config.world import World
from afterwit.learn.learn import sweep
from afterwit.model.errors import BusyError
from afterwit.model.learn_run import Options, Progress
from afterwit.store.lease import held
from afterwit.store.store import readonly_database, rehearsed


class Rehearsed(NamedTuple):
    """What there is to look at."""

    db: apsw.Connection
    pending: list[Pending]  # transcripts that `learn` has not read, or not as they are now
    has_pending: bool  # whether those are in the database too


@contextmanager
def rehearsal(world: World, progress: Progress) -> Iterator[Rehearsed]:
    """The database with all that is on the disk. While another run is at work: with what has been learned so far."""
    with ExitStack() as stack:
        pending: list[Pending] = []
        if world.layout.exists():
            with readonly_database(world.layout) as db:
                pending = _pending(world, db)
        is_needed = bool(pending) or not world.layout.exists()
        if is_needed and _is_ours(world, stack):
            store = stack.enter_context(rehearsed(world.layout))
            pending = _pending(world, store.db)
            sweep(world, Options(is_dry_run=True), store, progress)
            yield Rehearsed(store.db, pending, has_pending=True)
        else:
            yield Rehearsed(stack.enter_context(readonly_database(world.layout)), pending, has_pending=not is_needed)


def _is_ours(world: World, stack: ExitStack) -> bool:
    """Takes the lease, where there is a store that others could write to. False if another run has it."""
    if world.layout.exists():
        try:
            stack.enter_context(held(world.layout.lease))
        except BusyError:
            return False
    return True


def _pending(world: World, db: apsw.Connection) -> list[Pending]:
    found = plan(db, homes(world.settings, world.user_home), declared=world.declared)
    return [one for part in found for one in part.pending]
