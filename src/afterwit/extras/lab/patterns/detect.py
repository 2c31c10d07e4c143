"""Finds patterns in all that was learned, or in the sessions that a filter means.

Every session's signals were noted when it was learned (`signals`), so that nothing is read again here, and one
more session changes only the patterns that it has signals of.
"""

from collections.abc import Iterator
from itertools import groupby

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.patterns.clusters import FEWEST_STORIES, SignalSeen, clustered
from afterwit.extras.lab.patterns.pattern import Pattern
from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, subject_from
from afterwit.harvest.door import SessionRefs
from afterwit.knowledge.door.settle import recorded
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.decisions.decided import decided
from afterwit.store.rows.session_list import selected_sessions
from afterwit.store.rows.sightings import all_sightings
from afterwit.store.store import readonly_database

_SIGNAL = msgspec.msgpack.Decoder(Signal)
_ANY = Filter()


def detect(world: World, wanted: Filter = _ANY, fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """What recurs, the most worth sharing first: what sessions of several agents show, then by independent sessions."""
    with readonly_database(world.layout) as db:
        chosen = None
        if wanted != _ANY:
            selection = selection_of(db, world.settings, wanted)
            chosen = frozenset(row.id for row in selected_sessions(db, selection))
        return clustered(signals_in(db, chosen), fewest_stories)


def signals_in(db: apsw.Connection, chosen: frozenset[int] | None = None) -> Iterator[SignalSeen]:
    """All signals of these sessions, subject by subject; without those of what people had forgotten."""
    refs = SessionRefs(db, "", decided(recorded(db)).forgotten)
    for matter, rows in groupby(all_sightings(db, PatternSignals.name), lambda row: row.matter):
        subject = subject_from(matter)
        for row in rows if subject is not None else ():
            ref = refs.of(row.session_id) if chosen is None or row.session_id in chosen else None
            if subject is not None and ref is not None:
                yield SignalSeen(subject, ref, _SIGNAL.decode(row.body))
