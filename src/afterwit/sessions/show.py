"""One session as a sequence of moments: what the database knows of each event, with its text from the archive.

Several files of one session are merged by time; events that are copies of others come once, where their original is.
Subagents stand where they were started: under their call, or else by their time. Texts are cleaned and redacted here.
Where the archive lacks a file or a part of it, the moments come all the same, without their texts; where an original
was given up, with what was kept of them. Streams throughout: memory is bounded by one record and the number of files.
"""

import heapq
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from afterwit.capture.assembly.texts import safe_text, without_seams
from afterwit.model.captured import ActionRow, EventRow
from afterwit.model.errors import DamagedError, UsageError
from afterwit.model.figures import human_count
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event
from afterwit.model.text import regex
from afterwit.redaction.hygiene import clean
from afterwit.redaction.redaction import Redactor
from afterwit.sessions.originals import TranscriptSource, events_in
from afterwit.store.rows.files import file_by_id, texts_kept, why_dropped
from afterwit.store.rows.parts import PartRow, part_actions, part_events, parts_of_session, remarks_on_actions
from afterwit.store.rows.session_list import SessionRow, subagents_of

EVERYTHING = frozenset(EventKind)
_DEEPEST_SUBAGENT = 12
_MOMENTS_BEFORE = 3  # that are shown before the one that was asked for
_DEEPEST = 64  # levels of a call's arguments that are kept


class SessionMoment(msgspec.Struct, frozen=True, kw_only=True):
    """One event. A text of None is no longer in the archive."""

    kind: EventKind
    at_ms: int | None
    number: str = ""  # by which it is found again
    text: str | None = ""
    call_id: str = ""
    tool: str = ""
    arguments: dict[str, Any] | None = None  # of a call, where they were asked for
    action: ActionRow | None = None  # of a call: how it ended
    said: str = ""  # of a call: what a person typed to it, by fields that only the client writes


class CopiedEvents(NamedTuple):
    """Events left out here because they are copies; their originals are in another session or file."""

    events: int


class EarlierMoments(NamedTuple):
    """Moments left out here because a later one was asked for."""

    moments: int


class GoneTexts(NamedTuple):
    """From here on the archive does not hold the texts of a file."""

    reason: str


class WantedMoments(NamedTuple):
    """What to read. Events of other kinds are passed over."""

    kinds: frozenset[EventKind] = EVERYTHING
    has_arguments: bool = True
    number: str = ""  # this moment comes, whatever its kind


class Begins(NamedTuple):
    session: SessionRow


class Ends(NamedTuple):
    session: SessionRow


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent was told at one moment, and what was kept from it on purpose, to compare."""

    at_ms: int
    moment: str
    act: str  # refuse, rewrite; "" where it was only told
    context: str  # the subagent that was told; "" for the session itself
    text: str  # as the agent read it; "" if it was told nothing
    withheld: str  # the lines that it would have read besides
    is_session_skipped: bool  # it is one of the sessions that are told nothing
    told: list[str]  # ids of notes
    skipped: list[str]
    is_learned: bool  # no: it is noted by a hook, and waits for the next run


class ToldInAll(NamedTuple):
    """How often a session was told something, or would have been."""

    told: int
    skipped: int
    stopped: int  # calls, by a check
    repeated: int  # of these, made again
    has_called: bool  # whether any hook noted anything of the session
    agent: str


class Scene(NamedTuple):
    """What happens, and in which subagent of which subagent: 0 is the session itself."""

    depth: int
    what: Begins | SessionMoment | CopiedEvents | EarlierMoments | GoneTexts | Ends | Telling | ToldInAll


def moment_number(part: int, ordinal: int) -> str:
    """The number of a moment in its session: its place in its file, which never changes as the file grows, with that of
    the file before it where that is not the first."""
    return f"{part}.{ordinal}" if part else str(ordinal)


def safe_row(source: TranscriptSource, session: SessionRow) -> SessionRow:
    """The row with its texts redacted once more: by the rules of now, not only by those of when it was learned."""
    safe = source.redactor.text
    return msgspec.structs.replace(
        session, title=safe(session.title), task=safe(session.task), cwd=safe(session.cwd), branch=safe(session.branch)
    )


def moments(
    source: TranscriptSource, session: SessionRow, wanted: WantedMoments
) -> Iterator[SessionMoment | CopiedEvents | GoneTexts]:
    """The session, in the order in which it happened."""
    streams = [
        _with_times(_part(source, session, place, number, wanted), number)
        for number, place in enumerate(parts_of_session(source.store.db, session.id))
    ]
    for _, _, _, moment in heapq.merge(*streams, key=lambda timed: timed[:3]):
        yield moment


def scenes(
    source: TranscriptSource, session: SessionRow, wanted: WantedMoments, *, with_subagents: bool = True
) -> Iterator[Scene]:
    """The session from its beginning to its end."""
    return _scenes(source, wanted, session, 0, set(), with_subagents=with_subagents)


def scenes_from(told: Iterable[Scene], number: str) -> Iterator[Scene]:
    """The scenes of a session from a moment of it on, with a few moments before. A number that it does not have is an
    error, before the first scene."""
    heading: list[Scene] = []
    before: deque[Scene] = deque(maxlen=_MOMENTS_BEFORE)
    rest = iter(told)
    passed = 0
    for scene in rest:
        if scene.depth == 0 and isinstance(scene.what, Begins):
            heading.append(scene)
        elif scene.depth == 0 and isinstance(scene.what, SessionMoment):
            if scene.what.number == number:
                if passed > len(before):
                    heading.append(Scene(0, EarlierMoments(passed - len(before))))
                yield from heading
                yield from (*before, scene)
                yield from rest
                return
            passed += 1
            before.append(scene)
    raise UsageError(f"This session has no match {number}. `afterwit sessions search` shows the numbers of matches.")


def descendants(source: TranscriptSource, session: SessionRow) -> list[SessionRow]:
    """The subagents of a session, theirs, and so on, each after its parent."""
    family: dict[int, SessionRow] = {session.id: session}
    waiting = [session]
    while waiting:
        parent = waiting.pop(0)
        new = [row for row in subagents_of(source.store.db, parent.agent, parent.native_id) if row.id not in family]
        family.update((row.id, row) for row in new)
        waiting.extend(new)
    return list(family.values())[1:]


def _scenes(
    source: TranscriptSource,
    wanted: WantedMoments,
    session: SessionRow,
    depth: int,
    seen: set[int],
    *,
    with_subagents: bool,
) -> Iterator[Scene]:
    """`seen` are the sessions that were told, so that none is told twice."""
    seen.add(session.id)
    is_parent = with_subagents and depth < _DEEPEST_SUBAGENT
    children = subagents_of(source.store.db, session.agent, session.native_id) if is_parent else []
    waiting = [child for child in children if child.id not in seen]

    def told(now: Iterable[SessionRow]) -> Iterator[Scene]:
        for child in now:
            waiting.remove(child)
            if child.id not in seen:
                yield from _scenes(source, wanted, child, depth + 1, seen, with_subagents=with_subagents)

    yield Scene(depth, Begins(safe_row(source, session)))
    for moment in moments(source, session, wanted):
        if isinstance(moment, SessionMoment):
            yield from told(_due(waiting, moment.at_ms))
        yield Scene(depth, moment)
        if isinstance(moment, SessionMoment) and moment.kind is EventKind.CALL and moment.call_id:
            yield from told([row for row in waiting if row.parent_call == moment.call_id])
    yield from told(list(waiting))
    yield Scene(depth, Ends(session))


def _due(waiting: list[SessionRow], at_ms: int | None) -> list[SessionRow]:
    """Those that no call is known of and that had begun by then."""
    if at_ms is None:
        return []
    return [row for row in waiting if not row.parent_call and row.started_ms is not None and row.started_ms < at_ms]


_Timed = tuple[int, int, int, SessionMoment | CopiedEvents | GoneTexts]


def _with_times(stream: Iterator[SessionMoment | CopiedEvents | GoneTexts], number: int) -> Iterator[_Timed]:
    """With what they are merged by. Within a file the order stays, whatever its clock did."""
    latest = 0
    for place, moment in enumerate(stream):
        if isinstance(moment, SessionMoment) and moment.at_ms is not None:
            latest = max(latest, moment.at_ms)
        yield latest, number, place, moment


def _part(
    source: TranscriptSource, session: SessionRow, place: PartRow, part: int, wanted: WantedMoments
) -> Iterator[SessionMoment | CopiedEvents | GoneTexts]:
    """What one file holds of the session: the rows of the database, each with its event from the archive."""
    bodies = _Bodies(source, session, place)
    actions = part_actions(source.store.db, place.id)
    said = remarks_on_actions(source.store.db, place.id)
    copies = 0
    for row in part_events(source.store.db, place.id):
        event = bodies.event(row)
        if bodies.fault:
            yield GoneTexts(bodies.fault)
            bodies.fault = ""
        if row.is_copied:
            copies += 1
            continue
        if copies:
            yield CopiedEvents(copies)
            copies = 0
        kind = EventKind(row.kind)
        action = next(actions, None) if kind is EventKind.CALL else None
        number = moment_number(part, row.ordinal)
        if kind in wanted.kinds or number == wanted.number:
            if action is not None:
                action = safe_action(source.redactor, action)
            if event is not None and not wanted.has_arguments:
                event = msgspec.structs.replace(event, arguments=None)
            moment = _moment(source.redactor, row, number, action, event, bodies.kept.get(row.ordinal))
            words = said.get(action.ordinal, "") if action is not None else ""
            yield msgspec.structs.replace(moment, said=source.redactor.text(words)) if words else moment
    if copies:
        yield CopiedEvents(copies)


class _Bodies:
    """The events of one session in one file, found by the rows' places as both go forward."""

    def __init__(self, source: TranscriptSource, session: SessionRow, place: PartRow) -> None:
        self._source = source
        self._session = session
        self._file_id = place.file_id
        self._stream: Iterator[Event] | None = None
        self._next: Event | None = None
        self.kept: dict[int, str] = {}  # what is left of the texts where the original was given up
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
            event = self._next
            self._advance()
            if event.kind == row.kind or (event.kind is EventKind.PROMPT and row.kind == EventKind.NOTICE):
                return event
        return None

    def _advance(self) -> None:
        assert self._stream is not None
        try:
            self._next = next(self._stream, None)
        except DamagedError as error:
            self._next, self.fault = None, str(error)

    def _events(self) -> Iterator[Event]:
        is_own: dict[str, bool] = {}  # by the id that the log has
        store = self._source.store
        file = file_by_id(store.db, self._file_id)
        if file.is_dropped:
            self.kept = texts_kept(store.db, self._part_id)
            raise DamagedError(why_dropped(file))
        for event in without_seams(events_in(store, file, self._source.declared), self._source.redactor):
            if event.session not in is_own:
                is_own[event.session] = safe_text(event.session, self._source.redactor) == self._session.native_id
            if is_own[event.session]:
                yield event


def safe_action(redactor: Redactor, action: ActionRow) -> ActionRow:
    return msgspec.structs.replace(action, target=redactor.text(action.target), error=redactor.text(action.error))


def _moment(
    redactor: Redactor, row: EventRow, number: str, action: ActionRow | None, event: Event | None, kept: str | None
) -> SessionMoment:
    """What happened; of an event whose text is gone from the archive, what the database knows of it."""
    call_id, tool = (action.call_id, action.tool) if action else ("", "")
    if event is not None:
        kept, call_id = clean(event.text), safe_text(event.call_id, redactor)
        tool = tool or safe_text(event.tool, redactor)
    given = event.arguments if event is not None else None
    return SessionMoment(
        kind=EventKind(row.kind),
        at_ms=row.at_ms,
        number=number,
        text=None if kept is None else redactor.text(kept),
        call_id=call_id,
        tool=tool,
        arguments=None if given is None else redactor.value(_tidy(given)),
        action=action,
    )


def _tidy(value: Any, depth: int = 0) -> Any:
    """Decoded JSON with clean texts, and nothing below the levels that anyone reads."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {clean(str(key)): _tidy(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_tidy(item, depth + 1) for item in value]
    return value


_HOME = regex(r"/(?:Users|home)/‹user:[0-9a-f]+›/")


def from_home(path: str) -> str:
    """Paths below a user's home begin with a tilde: shorter, and everyone knows whose."""
    return _HOME.sub("~/", path)


def target_line(action: ActionRow, folder: str) -> str:
    """The first line of what it was about; paths below the session's folder are shown from there."""
    lines = [line for line in action.target.splitlines() if line.strip()]
    first = " ".join(lines[0].split()) if lines else action.tool
    if folder.count("/") > 1:
        first = re.sub(rf"{re.escape(folder)}(?:(/)|(?![\w.-]))", lambda match: "" if match[1] else ".", first)
    first = from_home(first)
    return f"{first} (+{human_count(len(lines) - 1, 'line')})" if len(lines) > 1 else first
