"""Why a filter means no session: which part of it keeps all away, and when there was a session that fits the rest."""

from collections.abc import Iterator
from typing import NamedTuple

from afterwit.config.world import World
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.rows.session_list import SessionTimes, times_of_sessions
from afterwit.store.store import readonly_database

_TIMES = ("since_ms", "until_ms")


class NoMatch(NamedTuple):
    """Without the fields of the filter that are named, so many sessions would fit. No field: no single part of the
    filter is the reason, and the figures are those of all sessions."""

    without: tuple[str, ...]
    sessions: int
    earliest_ms: int | None = None
    latest_ms: int | None = None


def no_match(world: World, wanted: Filter) -> NoMatch | None:
    """None where some session fits after all."""
    with readonly_database(world.layout) as db:

        def fitting(narrowed: Filter) -> SessionTimes:
            return times_of_sessions(db, selection_of(db, world.settings, narrowed))

        if fitting(wanted).sessions:
            return None
        for names in _parts(wanted):
            rest = fitting(wanted._replace(**{name: Filter._field_defaults[name] for name in names}))
            if rest.sessions:
                return NoMatch(names, *rest)
        return NoMatch((), *fitting(Filter()))


def _parts(wanted: Filter) -> Iterator[tuple[str, ...]]:
    """What can be left out: the times first, because they are what people forget."""
    given = [name for name in Filter._fields if getattr(wanted, name) != Filter._field_defaults[name]]
    times = [name for name in _TIMES if name in given]
    yield from ((name,) for name in times)
    if len(times) > 1:
        yield tuple(times)
    yield from ((name,) for name in given if name not in _TIMES)
