"""A session in windows: the outline of all its moments from the database, and the texts of a few from the archive.

For whoever looks at a place in a long session and does not want to read all that stands before it. The order is that
of `sessions.show`. Outputs stand with their calls. Only the records of a window are unpacked. A record that means
nothing by itself is read with all before it, in a large file only where its whole text is asked for. Long texts are
cut, with how much is left said; texts are cleaned and redacted here.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

from afterwit.capture.assembly.texts import safe_text, without_seams
from afterwit.model.captured import ActionRow
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event
from afterwit.redaction.hygiene import clean
from afterwit.sessions.originals import EventPlace, EventTexts, TranscriptSource
from afterwit.sessions.show import moment_number, safe_action
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

    def __init__(self, parts: Sequence[Sequence[OutlineMoment]]) -> None:
        timed = sorted(place for part in parts for place in _timed_places(part))
        self.moments = [parts[part][place] for _, part, place in timed]
        self.prompts = [at for at, moment in enumerate(self.moments) if moment.kind is EventKind.PROMPT]
        self.failures = [at for at, moment in enumerate(self.moments) if moment.has_failed]
        self._times = list(accumulate((moment.at_ms or 0 for moment in self.moments), max))
        self._outputs = {
            (moment.part, moment.row.offset): moment.row
            for part in parts
            for moment in part
            if moment.kind is EventKind.RESULT
        }
        self._by_ordinal: list[list[tuple[int, int]]] = [[] for _ in parts]  # with the place, in the order of the file
        for at, moment in enumerate(self.moments):
            self._by_ordinal[moment.part].append((moment.row.ordinal, at))

    def output(self, part: int, offset: int) -> EventOutline | None:
        """The output whose record lies there."""
        return self._outputs.get((part, offset))

    def place_of(self, number: str) -> int | None:
        """Where the moment with this number is; of an output, where that before it in its file is."""
        part, _, ordinal = number.rpartition(".")
        if not all(name.isascii() and name.isdigit() and len(name) < _MOST_DIGITS for name in (part or "0", ordinal)):
            return None
        file = self._by_ordinal[int(part or 0)] if int(part or 0) < len(self._by_ordinal) else []
        before = bisect_right(file, int(ordinal), key=itemgetter(0))
        return file[before - 1][1] if before else None

    def place_at(self, at_ms: int) -> int:
        """The first moment that is not before this time."""
        return min(bisect_left(self._times, at_ms), max(0, len(self.moments) - 1))


def _timed_places(part: Sequence[OutlineMoment]) -> Iterator[tuple[int, int, int]]:
    """What is no output, with what it is ordered by: the same as in `sessions.show`."""
    latest = 0
    for place, moment in enumerate(part):
        latest = max(latest, moment.at_ms or 0)
        if moment.kind is not EventKind.RESULT:
            yield latest, moment.part, place


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
    return SessionOutline(
        [
            list(_outline_part(part, part_outline(db, place.id), part_failures(db, place.id)))
            for part, place in enumerate(parts_of_session(db, session.id))
        ]
    )


def _outline_part(part: int, rows: Iterable[PlainOutline], failures: set[int]) -> Iterator[OutlineMoment]:
    """The events of one file as the database has them."""
    calls, record = 0, -1
    ranks: Counter[EventKind] = Counter()
    for row in map(EventOutline._make, rows):
        kind = _KINDS[row.kind]
        if row.offset != record:
            record, ranks = row.offset, Counter()
        action = calls if kind is EventKind.CALL else -1
        number = moment_number(part, row.ordinal)
        yield OutlineMoment(number, kind, row.at_ms, part, row, ranks[kind], action, action in failures)
        ranks[kind] += 1
        calls += action >= 0


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
            action = safe_action(redactor, action)
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
