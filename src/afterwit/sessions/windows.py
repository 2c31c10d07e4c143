"""A session in windows: the outline of all its moments from the database, and the texts of a few from the archive.

For whoever looks at a place in a long session and does not want to read all that stands before it. The order is that
of `sessions.show`. Outputs stand with their calls. Only the records of a window are unpacked. A record that means
nothing by itself is read with all before it, in a large file only where its whole text is asked for. Long texts are
cut, with how much is left said; texts are cleaned and redacted here.
"""

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Any, NamedTuple, overload

import msgspec

from afterwit.capture.assembly.texts import safe_text, without_seams
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event
from afterwit.redaction.hygiene import clean
from afterwit.sessions.originals import EventPlace, EventTexts, TranscriptSource
from afterwit.sessions.show import moment_number
from afterwit.store.rows.files import FileRow, file_by_id, texts_kept
from afterwit.store.rows.parts import (
    EventOutline,
    PlainOutline,
    actions_between,
    part_failures,
    part_outline,
    parts_of_session,
)
from afterwit.store.rows.session_list import SessionRow

_MARGIN = 20_000  # characters after a cut that are redacted with the rest, so that no secret is cut in two
_MOST_DIGITS = 8
_PROMPT, _CALL, _RESULT = EventKind.PROMPT.value, EventKind.CALL.value, EventKind.RESULT.value
_KINDS = {kind.value: kind for kind in EventKind}
_READ_WHOLE_BYTES = 1 << 18  # of a file that is read from its beginning for the sake of a few records


class OutlineMoment(NamedTuple):
    """One moment of a session, without its text."""

    number: str
    kind: EventKind
    at_ms: int | None
    part: int  # position of its file
    row: EventOutline
    rank: int = 0  # among the events of its kind in one record
    action: int = -1  # of a call: the ordinal of its action
    has_failed: bool = False


class _PartOutline:
    """The events of one file as the database has them. Moments are made of those that are looked at: a session may have
    100,000."""

    def __init__(self, part: int, rows: Sequence[PlainOutline], failures: set[int]) -> None:
        self._part = part
        self._rows = rows
        self._failures = failures
        self._calls = [place for place, row in enumerate(rows) if row[1] == _CALL]

    def timed_places(self) -> Iterator[tuple[int, int, int]]:
        """What is no output, with what it is merged by; the same as in `sessions.show`."""
        latest = 0
        for place, (_, kind, at_ms, _, _) in enumerate(self._rows):
            if at_ms is not None and at_ms > latest:
                latest = at_ms
            if kind != _RESULT:
                yield latest, self._part, place

    def kind(self, place: int) -> str:
        return self._rows[place][1]

    def at_ms(self, place: int) -> int:
        """0 where it has no time."""
        return self._rows[place][2] or 0

    def has_failed(self, place: int) -> bool:
        return bool(self._failures) and self.kind(place) == _CALL and self._action(place) in self._failures

    def moment(self, place: int) -> OutlineMoment:
        row = EventOutline(*self._rows[place])
        kind = _KINDS[row.kind]
        action = self._action(place) if kind is EventKind.CALL else -1
        number = moment_number(self._part, row.ordinal)
        rank, has_failed = self._rank(place), action in self._failures
        return OutlineMoment(number, kind, row.at_ms, self._part, row, rank, action, has_failed)

    def last_until(self, ordinal: int) -> int:
        """The place of the last event with this ordinal or a smaller one; -1 where there is none."""
        return bisect_right(self._rows, ordinal, key=lambda row: row[0]) - 1

    @cached_property
    def outputs(self) -> dict[int, EventOutline]:
        """By where their records lie."""
        return {row[3]: EventOutline(*row) for row in self._rows if row[1] == _RESULT}

    def _action(self, place: int) -> int:
        return bisect_left(self._calls, place)

    def _rank(self, place: int) -> int:
        _, kind, _, record, _ = self._rows[place]
        before = takewhile(lambda row: row[3] == record, (self._rows[at] for at in range(place - 1, -1, -1)))
        return sum(row[1] == kind for row in before)


class _Moments(Sequence[OutlineMoment]):
    """Moments in their order, each made when it is looked at."""

    def __init__(self, parts: Sequence[_PartOutline], places: Sequence[tuple[int, int]]) -> None:
        self._parts = parts
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> OutlineMoment: ...
    @overload
    def __getitem__(self, at: slice) -> list[OutlineMoment]: ...
    def __getitem__(self, at: int | slice) -> OutlineMoment | list[OutlineMoment]:
        if isinstance(at, slice):
            return [self._parts[part].moment(place) for part, place in self._places[at]]
        part, place = self._places[at]
        return self._parts[part].moment(place)


class SessionOutline:
    """All moments of a session in their order, outputs left out: they belong to their calls."""

    def __init__(self, parts: Sequence[_PartOutline]) -> None:
        streams = [part.timed_places() for part in parts]
        timed = list(streams[0] if len(streams) == 1 else heapq.merge(*streams))
        places = [(part, place) for _, part, place in timed]
        self._parts = parts
        self._times = list(accumulate((parts[part].at_ms(place) for part, place in places), max))
        self._at = {place: at for at, place in enumerate(places)}
        self.moments = _Moments(parts, places)
        self.prompts = [at for at, (part, place) in enumerate(places) if parts[part].kind(place) == _PROMPT]
        self.failures = [at for at, (part, place) in enumerate(places) if parts[part].has_failed(place)]

    def output(self, part: int, offset: int) -> EventOutline | None:
        """The output whose record lies there."""
        return self._parts[part].outputs.get(offset)

    def place_of(self, number: str) -> int | None:
        """Where the moment with this number is; of an output, where that before it in its file is."""
        part, _, ordinal = number.rpartition(".")
        if not all(name.isascii() and name.isdigit() and len(name) < _MOST_DIGITS for name in (part or "0", ordinal)):
            return None
        file = int(part or 0)
        if file >= len(self._parts):
            return None
        places = range(self._parts[file].last_until(int(ordinal)), -1, -1)
        return next((self._at[file, place] for place in places if (file, place) in self._at), None)

    def place_at(self, at_ms: int) -> int:
        """The first moment that is not before this time."""
        return min(bisect_left(self._times, at_ms), max(0, len(self.moments) - 1))


class CutText(NamedTuple):
    """A text, and how many characters of it were left out. None: it is gone from the archive, or dear to read."""

    text: str | None
    left_out: int = 0


class WindowMoment(NamedTuple):
    """One moment as it is shown."""

    at: OutlineMoment
    said: CutText
    tool: str = ""
    call_id: str = ""
    arguments: dict[str, Any] | None = None
    action: ActionRow | None = None
    output: CutText | None = None


def outline(source: TranscriptSource, session: SessionRow) -> SessionOutline:
    """What the database knows of the order of a session."""
    db = source.store.db
    parts = enumerate(parts_of_session(db, session.id))
    return SessionOutline(
        [_PartOutline(part, part_outline(db, place.id), part_failures(db, place.id)) for part, place in parts]
    )


def window(
    source: TranscriptSource, session: SessionRow, plan: SessionOutline, places: Iterable[int], longest: int
) -> list[WindowMoment]:
    """The moments at these places, with their texts; none longer than `longest` characters, 0 for all of it."""
    places = list(places)
    chosen = [plan.moments[at] for at in places]
    around = ((plan.moments[at], plan.moments[max(0, at - 1) : at + 2]) for at in sorted(places))
    read = dict.fromkeys(near for moment, nearby in around for near in nearby if near.kind is moment.kind)
    parts = parts_of_session(source.store.db, session.id)
    with closing(EventTexts(source.store.db, source.store.archive, source.declared)) as texts:
        reading = _Reading(source, texts, longest)
        shown: dict[str, WindowMoment] = {}
        for part in sorted({moment.part for moment in read}):
            file = file_by_id(source.store.db, parts[part].file_id)
            here = [moment for moment in read if moment.part == part]
            for moment in reading.moments(parts[part].id, file, here, plan):
                shown[moment.at.number] = moment
    return [shown[moment.number] for moment in chosen]


class _Reading:
    def __init__(self, source: TranscriptSource, texts: EventTexts, longest: int) -> None:
        self._source = source
        self._texts = texts
        self._longest = longest

    def moments(
        self, part_id: int, file: FileRow, here: list[OutlineMoment], plan: SessionOutline
    ) -> Iterator[WindowMoment]:
        """The moments of one file."""
        numbers = [moment.action for moment in here if moment.action >= 0]
        db = self._source.store.db
        actions = actions_between(db, part_id, min(numbers), max(numbers)) if numbers else {}
        outputs: dict[int, EventOutline] = {}
        for number, asked in actions.items():
            row = plan.output(here[0].part, asked.result_offset or -1)
            if row is not None:
                outputs[number] = row
        kept = texts_kept(db, part_id) if file.is_dropped else {}
        wanted = [*(moment.row for moment in here), *(outputs[number] for number in numbers if number in outputs)]
        events = {} if file.is_dropped else self._events(file, wanted)
        told = [_choose_event(events.get(_place(m.row), []), m.rank, actions.get(m.action)) for m in here]
        whole = without_seams((event for event in told if event is not None), self._source.redactor)
        for moment, raw in zip(here, told, strict=True):
            action = actions.get(moment.action)
            event = raw and next(whole)
            shown = self._shown(moment, event, kept.get(moment.row.ordinal), action)
            output = outputs.get(moment.action)
            if output is not None:
                result = _choose_event(events.get(_place(output), []), 0, action)
                shown = shown._replace(output=self._cut(None if result is None else result.text))
            yield shown

    def _events(self, file: FileRow, rows: list[EventOutline]) -> dict[EventPlace, list[Event]]:
        """What the records hold, by place. Those that mean nothing by themselves are read with all before them."""
        events: dict[EventPlace, list[Event]] = {}
        unclear: set[EventPlace] = set()
        for row in sorted(rows, key=lambda row: row.offset):
            place = _place(row)
            if place not in events:
                events_there = self._texts.events(file, place, row.length)
                events[place] = events_there or []
                if events_there == []:
                    unclear.add(place)
        is_cheap = not self._longest or file.held_bytes <= _READ_WHOLE_BYTES
        return events | (self._texts.events_in_context(file, unclear) if unclear and is_cheap else {})

    def _shown(
        self, moment: OutlineMoment, event: Event | None, kept: str | None, action: ActionRow | None
    ) -> WindowMoment:
        redactor = self._source.redactor
        if action is not None:
            action = _safe(redactor.text, action)
        said = self._cut(kept if event is None else event.text)
        tool = action.tool if action else safe_text(event.tool, redactor) if event else ""
        call_id = action.call_id if action else ""
        arguments = None
        if event is not None and event.arguments is not None:
            arguments = redactor.value({name: self._argument(value) for name, value in event.arguments.items()})
        return WindowMoment(moment, said, tool, call_id, arguments, action)

    def _argument(self, value: Any) -> Any:
        """Texts cut; what is nested comes whole."""
        if isinstance(value, str):
            cut = self._cut(value)
            return f"{cut.text}\n… {cut.left_out:,} more characters" if cut.left_out else cut.text
        return value

    def _cut(self, text: str | None) -> CutText:
        if text is None:
            return CutText(None)
        redact = self._source.redactor.text
        if not self._longest or len(text) <= self._longest:
            return CutText(redact(clean(text)))
        safe = redact(clean(text[: self._longest + _MARGIN]))
        return CutText(safe[: self._longest], len(text) - self._longest)


def _place(row: EventOutline) -> EventPlace:
    return EventPlace(row.offset, EventKind(row.kind))


def _choose_event(events: list[Event], rank: int, action: ActionRow | None) -> Event | None:
    """Of several events in one record, that of the call; else the one that stands in this place."""
    if action is not None and len(events) > 1:
        same = [event for event in events if event.call_id == action.call_id]
        events = same or events
    return events[min(rank, len(events) - 1)] if events else None


def _safe(redact: Callable[[str], str], action: ActionRow) -> ActionRow:
    return msgspec.structs.replace(action, target=redact(action.target), error=redact(action.error))
