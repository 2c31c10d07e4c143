"""A session in windows: the outline of all its moments from the database, and the texts of a few from the archive.

For whoever looks at a place in a long session and does not want to read all that stands before it. The order is that
of `sessions.show`. Outputs stand with their calls. Only the records of a window are unpacked. A record that means
nothing by itself is read with all before it, in a large file only where its whole text is asked for. Long texts are
cut, with how much is left said; texts are cleaned and redacted here.
"""

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from afterwit.capture.assembly.texts import safe_text
from afterwit.guard.hygiene import clean
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event
from afterwit.sessions.event_texts import EventPlace, EventTexts
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import moment_number
from afterwit.store.rows.files import FileRow, file_by_id
from afterwit.store.rows.originals import kept_texts
from afterwit.store.rows.parts import (
    EventOutline,
    actions_between,
    part_failures,
    part_outline,
    parts_of_session,
)
from afterwit.store.rows.session_list import SessionRow

_MARGIN = 20_000  # characters after a cut that are redacted with the rest, so that no secret is cut in two
_MOST_DIGITS = 8
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


class SessionOutline:
    """All moments of a session in their order, outputs left out: they belong to their calls."""

    def __init__(self, moments: list[OutlineMoment], outputs: dict[tuple[int, int], EventOutline]) -> None:
        self.moments = moments
        self.outputs = outputs  # by file and place
        self.prompts = [at for at, moment in enumerate(moments) if moment.kind is EventKind.PROMPT]
        self.failures = [at for at, moment in enumerate(moments) if moment.has_failed]
        self._places = {(moment.part, moment.row.ordinal): at for at, moment in enumerate(moments)}
        self._times = list(accumulate((moment.at_ms or 0 for moment in moments), max))

    def place_of(self, number: str) -> int | None:
        """Where the moment with this number is; of an output, where that before it in its file is."""
        part, _, ordinal = number.rpartition(".")
        if not all(name.isascii() and name.isdigit() and len(name) < _MOST_DIGITS for name in (part or "0", ordinal)):
            return None
        file = int(part or 0)
        ordinals = range(int(ordinal), -1, -1)
        return next((self._places[file, place] for place in ordinals if (file, place) in self._places), None)

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
    streams: list[Iterator[tuple[int, int, int, OutlineMoment]]] = []
    outputs: dict[tuple[int, int], EventOutline] = {}
    for part, place in enumerate(parts_of_session(source.store.db, session.id)):
        rows = part_outline(source.store.db, place.id)
        outputs |= {(part, row.offset): row for row in rows if row.kind == EventKind.RESULT}
        streams.append(_timed(rows, part, part_failures(source.store.db, place.id)))
    in_order = streams[0] if len(streams) == 1 else heapq.merge(*streams, key=lambda timed: timed[:3])
    return SessionOutline([timed[3] for timed in in_order], outputs)


def window(
    source: TranscriptSource, session: SessionRow, plan: SessionOutline, places: Iterable[int], longest: int
) -> list[WindowMoment]:
    """The moments at these places, with their texts; none longer than `longest` characters, 0 for all of it."""
    chosen = [plan.moments[at] for at in places]
    parts = parts_of_session(source.store.db, session.id)
    with closing(EventTexts(source.store.db, source.store.archive, source.declared)) as texts:
        reading = _Reading(source, texts, longest)
        shown: dict[str, WindowMoment] = {}
        for part in sorted({moment.part for moment in chosen}):
            file = file_by_id(source.store.db, parts[part].file_id)
            here = [moment for moment in chosen if moment.part == part]
            for moment in reading.moments(parts[part].id, file, here, plan):
                shown[moment.at.number] = moment
    return [shown[moment.number] for moment in chosen]


def _timed(
    rows: Sequence[EventOutline], part: int, failures: set[int]
) -> Iterator[tuple[int, int, int, OutlineMoment]]:
    """With what they are merged by; the same as in `sessions.show`."""
    latest = calls = 0
    record, ranks = -1, Counter[str]()
    for place, row in enumerate(rows):
        latest = max(latest, row.at_ms or 0)
        if row.offset != record:
            record, ranks = row.offset, Counter()
        kind = _KINDS[row.kind]
        action, rank = -1, ranks[row.kind]
        ranks[row.kind] += 1
        if kind is EventKind.CALL:
            action, calls = calls, calls + 1
        if kind is not EventKind.RESULT:
            number = moment_number(part, row.ordinal)
            moment = OutlineMoment(number, kind, row.at_ms, part, row, rank, action, action in failures)
            yield latest, part, place, moment


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
            row = plan.outputs.get((here[0].part, asked.result_offset or -1))
            if row is not None:
                outputs[number] = row
        kept = kept_texts(db, part_id) if file.is_dropped else {}
        wanted = [*(moment.row for moment in here), *(outputs[number] for number in numbers if number in outputs)]
        events = {} if file.is_dropped else self._events(file, wanted)
        for moment in here:
            action = actions.get(moment.action)
            event = _chosen(events.get(_place(moment.row), []), moment.rank, action)
            shown = self._shown(moment, event, kept.get(moment.row.ordinal), action)
            output = outputs.get(moment.action)
            if output is not None:
                result = _chosen(events.get(_place(output), []), 0, action)
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
            arguments = {name: self._argument(value) for name, value in event.arguments.items()}
        return WindowMoment(moment, said, tool, call_id, arguments, action)

    def _argument(self, value: Any) -> Any:
        """Texts cut, and all redacted; what is nested comes whole."""
        if isinstance(value, str):
            cut = self._cut(value)
            return f"{cut.text}\n… {cut.left_out:,} more characters" if cut.left_out else cut.text
        return self._source.redactor.value(value)

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


def _chosen(events: list[Event], rank: int, action: ActionRow | None) -> Event | None:
    """Of several events in one record, that of the call; else the one that stands in this place."""
    if action is not None and len(events) > 1:
        same = [event for event in events if event.call_id == action.call_id]
        events = same or events
    return events[min(rank, len(events) - 1)] if events else None


def _safe(redact: Callable[[str], str], action: ActionRow) -> ActionRow:
    return msgspec.structs.replace(action, target=redact(action.target), error=redact(action.error))
