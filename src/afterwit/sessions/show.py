"""One session as a sequence of moments: what the database knows of each event, with its text from the archive.

Several files of one session are merged by time; events that are copies of others come once, where their original is.
Texts are cleaned and redacted here. Where the archive lacks a file or a part of it, the moments come all the same,
without their texts; where an original was given up, with what was kept of them. Streams throughout: memory is bounded
by one record and the number of files.
"""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.capture.assembly.texts import safe_text
from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, rules_for
from afterwit.guard.hygiene import clean
from afterwit.guard.redaction import Redactor
from afterwit.model.captured import ActionRow, EventRow
from afterwit.model.errors import DamagedError
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event
from afterwit.sessions.originals import events_in
from afterwit.store.rows.files import file_by_id, why_dropped
from afterwit.store.rows.originals import kept_texts
from afterwit.store.rows.parts import PartRow, part_actions, part_events, parts_of_session
from afterwit.store.rows.session_list import SessionRow
from afterwit.store.store import Store, opened, require

EVERYTHING = frozenset(EventKind)
_DEEPEST = 64  # levels of a call's arguments that are kept


class Source(NamedTuple):
    """What transcripts are read from."""

    store: Store
    redactor: Redactor
    declared: tuple[Description, ...] = ()  # the logs that people have described


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One event. A text of None is no longer in the archive."""

    kind: EventKind
    at_ms: int | None
    text: str | None = ""
    call_id: str = ""
    tool: str = ""
    arguments: dict[str, Any] | None = None  # of a call, where they were asked for
    action: ActionRow | None = None  # of a call: how it ended


class Copies(NamedTuple):
    """Events left out here because they are copies; their originals are in another session or file."""

    events: int


class Gone(NamedTuple):
    """From here on the archive does not hold the texts of a file."""

    reason: str


class Wanted(NamedTuple):
    """What to read. Events of other kinds are passed over."""

    kinds: frozenset[EventKind] = EVERYTHING
    has_arguments: bool = True


@contextmanager
def source_of(world: World) -> Iterator[Source]:
    """The store, with the redaction of this machine."""
    require(world.layout)
    with opened(world.layout) as store:
        rules = rules_for(world, store)
        yield Source(store, redactor_for(rules.key, rules.people, rules.allow), rules.declared)


def safe_row(source: Source, session: SessionRow) -> SessionRow:
    """The row with its texts redacted once more: by the rules of now, not only by those of when it was learned."""
    safe = source.redactor.text
    return msgspec.structs.replace(
        session, title=safe(session.title), task=safe(session.task), cwd=safe(session.cwd), branch=safe(session.branch)
    )


def moments(source: Source, session: SessionRow, wanted: Wanted) -> Iterator[Moment | Copies | Gone]:
    """The session, in the order in which it happened."""
    streams = [
        _timed(_part(source, session, place, wanted), number)
        for number, place in enumerate(parts_of_session(source.store.db, session.id))
    ]
    for _, _, _, moment in heapq.merge(*streams, key=lambda timed: timed[:3]):
        yield moment


_Timed = tuple[int, int, int, Moment | Copies | Gone]


def _timed(stream: Iterator[Moment | Copies | Gone], number: int) -> Iterator[_Timed]:
    """With what they are merged by. Within a file the order stays, whatever its clock did."""
    latest = 0
    for place, moment in enumerate(stream):
        if isinstance(moment, Moment) and moment.at_ms is not None:
            latest = max(latest, moment.at_ms)
        yield latest, number, place, moment


def _part(source: Source, session: SessionRow, place: PartRow, wanted: Wanted) -> Iterator[Moment | Copies | Gone]:
    """What one file holds of the session: the rows of the database, each with its event from the archive."""
    bodies = _Bodies(source, session, place)
    actions = part_actions(source.store.db, place.id)
    copies = 0
    for row in part_events(source.store.db, place.id):
        event = bodies.event(row)
        if bodies.fault:
            yield Gone(bodies.fault)
            bodies.fault = ""
        if row.is_copied:
            copies += 1
            continue
        if copies:
            yield Copies(copies)
            copies = 0
        kind = EventKind(row.kind)
        action = next(actions, None) if kind is EventKind.CALL else None
        if kind in wanted.kinds:
            if action is not None:
                action = _safe_action(source.redactor, action)
            if event is None:
                yield _told(row, action, source.redactor, bodies.kept(row))
            else:
                yield _moment(source.redactor, row, action, event, has_arguments=wanted.has_arguments)
    if copies:
        yield Copies(copies)


class _Bodies:
    """The events of one session in one file, found by the rows' places as both go forward."""

    def __init__(self, source: Source, session: SessionRow, place: PartRow) -> None:
        self._source = source
        self._session = session
        self._file_id = place.file_id
        self._stream: Iterator[Event] | None = None
        self._next: Event | None = None
        self._kept: dict[int, str] = {}  # what is left of the texts where the original was given up
        self._part_id = place.id
        self.fault = ""

    def event(self, row: EventRow) -> Event | None:
        """The event of this row, or None where it cannot be read; the first time, `fault` says why."""
        if self._stream is None:
            self._stream = self._events()
            self._advance()
        while self._next is not None and self._next.offset < row.offset:
            self._advance()
        while self._next is not None and self._next.offset == row.offset:
            found = self._next
            self._advance()
            if found.kind == row.kind:
                return found
        return None

    def kept(self, row: EventRow) -> str | None:
        """What is left of the text of this row, where its original was given up."""
        return self._kept.get(row.ordinal)

    def _advance(self) -> None:
        assert self._stream is not None
        try:
            self._next = next(self._stream, None)
        except DamagedError as error:
            self._next, self.fault = None, str(error)

    def _events(self) -> Iterator[Event]:
        known: dict[str, bool] = {}
        store = self._source.store
        file = file_by_id(store.db, self._file_id)
        if file.is_dropped:
            self._kept = kept_texts(store.db, self._part_id)
            raise DamagedError(why_dropped(file))
        for event in events_in(store, file, self._source.declared):
            if event.session not in known:
                known[event.session] = safe_text(event.session, self._source.redactor) == self._session.native_id
            if known[event.session]:
                yield event


def _safe_action(redactor: Redactor, action: ActionRow) -> ActionRow:
    return msgspec.structs.replace(action, target=redactor.text(action.target), error=redactor.text(action.error))


def _told(row: EventRow, action: ActionRow | None, redactor: Redactor, kept: str | None) -> Moment:
    """What the database knows of an event whose text is gone from the archive."""
    call_id, tool = (action.call_id, action.tool) if action else ("", "")
    text = None if kept is None else redactor.text(kept)
    return Moment(kind=EventKind(row.kind), at_ms=row.at_ms, text=text, call_id=call_id, tool=tool, action=action)


def _moment(
    redactor: Redactor, row: EventRow, action: ActionRow | None, event: Event, *, has_arguments: bool
) -> Moment:
    arguments = None
    if event.arguments is not None and has_arguments:
        arguments = redactor.value(_tidied(event.arguments))
    return Moment(
        kind=event.kind,
        at_ms=row.at_ms,
        text=redactor.text(clean(event.text)),
        call_id=safe_text(event.call_id, redactor),
        tool=action.tool if action else safe_text(event.tool, redactor),
        arguments=arguments,
        action=action,
    )


def _tidied(value: Any, depth: int = 0) -> Any:
    """Decoded JSON with clean texts, and nothing below the levels that anyone reads."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {clean(str(key)): _tidied(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_tidied(item, depth + 1) for item in value]
    return value
