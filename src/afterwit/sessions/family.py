"""A session with its subagents, each placed where it was started: under its call, or else by its time."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.model.kinds import EventKind
from afterwit.sessions.show import Copies, Gone, Moment, Source, Wanted, moments, safe_row
from afterwit.store.rows.session_list import SessionRow, subagents_of

_DEEPEST = 12


class Begins(NamedTuple):
    session: SessionRow


class Ends(NamedTuple):
    session: SessionRow


class Scene(NamedTuple):
    """What happens, and in which subagent of which subagent: 0 is the session itself."""

    depth: int
    what: Begins | Moment | Copies | Gone | Ends


def scenes(source: Source, session: SessionRow, wanted: Wanted, *, with_subagents: bool = True) -> Iterator[Scene]:
    """The session from its beginning to its end."""
    return _Family(source, wanted, with_subagents=with_subagents).scenes(session, 0)


def descendants(source: Source, session: SessionRow) -> list[SessionRow]:
    """The subagents of a session, theirs, and so on, each after its parent."""
    found: dict[int, SessionRow] = {session.id: session}
    waiting = [session]
    while waiting:
        parent = waiting.pop(0)
        new = [row for row in subagents_of(source.store.db, parent.agent, parent.native_id) if row.id not in found]
        found.update((row.id, row) for row in new)
        waiting.extend(new)
    return list(found.values())[1:]


class _Family:
    def __init__(self, source: Source, wanted: Wanted, *, with_subagents: bool) -> None:
        self._source = source
        self._wanted = wanted
        self._with_subagents = with_subagents
        self._seen: set[int] = set()

    def scenes(self, session: SessionRow, depth: int) -> Iterator[Scene]:
        self._seen.add(session.id)
        waiting = self._children(session, depth)
        yield Scene(depth, Begins(safe_row(self._source, session)))
        for moment in moments(self._source, session, self._wanted):
            if isinstance(moment, Moment):
                yield from self._told(_due(waiting, moment.at_ms), waiting, depth)
            yield Scene(depth, moment)
            if isinstance(moment, Moment) and moment.kind is EventKind.CALL:
                yield from self._told(_started_by(waiting, moment.call_id), waiting, depth)
        yield from self._told(list(waiting), waiting, depth)
        yield Scene(depth, Ends(session))

    def _children(self, session: SessionRow, depth: int) -> list[SessionRow]:
        if not self._with_subagents or depth >= _DEEPEST:
            return []
        found = subagents_of(self._source.store.db, session.agent, session.native_id)
        return [child for child in found if child.id not in self._seen]

    def _told(self, children: Iterable[SessionRow], waiting: list[SessionRow], depth: int) -> Iterator[Scene]:
        for child in children:
            waiting.remove(child)
            if child.id not in self._seen:
                yield from self.scenes(child, depth + 1)


def _due(waiting: list[SessionRow], at_ms: int | None) -> list[SessionRow]:
    """Those that no call is known of and that had begun by then."""
    if at_ms is None:
        return []
    return [row for row in waiting if not row.parent_call and row.started_ms is not None and row.started_ms < at_ms]


def _started_by(waiting: list[SessionRow], call_id: str) -> list[SessionRow]:
    return [row for row in waiting if call_id and row.parent_call == call_id]
