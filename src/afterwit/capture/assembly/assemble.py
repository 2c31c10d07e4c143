"""Folds the readings of one file into rows: sessions' facts, events, actions, what was spent.

Pure and resumable: `resume` bytes hold what the next append needs, and any split of a file into appends gives the rows
of the whole. Copied history, as `copies` recognises it, becomes events marked as copied and counts for nothing else.
Calls are joined with their results, whichever comes first and however far apart they are. Texts are cleaned and
redacted before they enter any row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

import msgspec

from afterwit.actions import tools
from afterwit.capture.assembly import calls, instructions, notes
from afterwit.capture.assembly.parts import (
    AssemblerResume,
    CopiedHistory,
    decode_resume,
    is_task,
    merge_spends,
    note_facts,
    note_own,
    note_place,
    note_prompt,
    note_time,
    spend_row,
)
from afterwit.capture.assembly.texts import (
    AssemblyContext,
    message_of,
    safe_bodies,
    safe_text,
    without_seams,
)
from afterwit.model.captured import (
    ORDINAL_BITS,
    ActionRow,
    Captured,
    EventRow,
    Extract,
    PartFacts,
    SpendRow,
    TextRow,
    key_of,
)
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend
from afterwit.repos.folders import (
    MOST_PLACES,
    folder_named,
    main_place,
    place_of_file,
    places_of_command,
    remotes_in,
)

_MOST_FILES = 8  # of one call
_MOST_EARLY = 32  # results without a call that are kept, in case it follows
_MOST_PROBLEMS = 1_000
_TOGETHER = 256  # readings whose texts are redacted together
_TOGETHER_LENGTH = 1 << 19
_TIMES_IN_MESSAGE = 16  # so much more where a message could be cut in two
_MOST_KEPT = 1_000  # short texts whose safe form is remembered
_SEARCHED = frozenset({EventKind.PROMPT, EventKind.REPLY, EventKind.RESULT, EventKind.COMPACTION})
SafeContent = calls.PendingCall | str | None  # of a call, of an event whose text is searched, of any other


class BegunCall(NamedTuple):
    """What a call says besides its row."""

    target: str
    notes: list[Extract]


class Joining:
    def __init__(
        self, context: AssemblyContext, open_calls: dict[int, calls.PendingCall], early: dict[int, calls.CallOutcome]
    ) -> None:
        self._context = context
        self.open_calls = open_calls
        self.early = early  # results that came before their calls
        self.actions: dict[tuple[int, int], ActionRow] = {}  # by part and ordinal

    def awaits(self, part: PartFacts, event: Event) -> bool:
        """Whether the call of this result is open."""
        return _call_key(part.native_id, event.call_id) in self.open_calls

    def begin(self, number: int, part: PartFacts, event: Event, call: calls.PendingCall) -> BegunCall:
        """Takes a call of the part at this position."""
        context = self._context
        showing = instructions.showing_of_call(call.kind, event, part, context)
        call = msgspec.structs.replace(call, part=number, ordinal=part.calls, showing=showing)
        part.calls += 1
        key = _call_key(part.native_id, event.call_id)
        early = self.early.pop(key, None)
        if early is None:
            self.open_calls[key] = call
        self.actions[number, call.ordinal] = calls.open_row(call)
        noted = [*notes.of_call(call, event, context.redactor)]
        if early:
            noted += self._settle(call, early)
        return BegunCall(call.target, noted)

    def end(self, part: PartFacts, event: Event, output: str) -> list[Extract]:
        """Joins a result with its call. One that says that the command still runs leaves the call open."""
        key = _call_key(part.native_id, event.call_id)
        call = self.open_calls.get(key)
        if call is not None and event.file:
            call = msgspec.structs.replace(call, showing=None)
        if call is not None:
            if not (event.result and event.result.is_running):
                del self.open_calls[key]
            return self._settle(call, calls.outcome_of(event, output, self._context.redactor))
        self.early[key] = calls.early_outcome(event, output, self._context.redactor)
        if len(self.early) > _MOST_EARLY:
            self.early.pop(next(iter(self.early)))
        return []

    def _settle(self, call: calls.PendingCall, outcome: calls.CallOutcome) -> list[Extract]:
        outcome = calls.without_foreign_words(call, outcome)
        row = calls.close_row(call, outcome)
        self.actions[call.part, call.ordinal] = row
        return [*notes.of_result(call, row, outcome, self._context.redactor)]


@lru_cache(maxsize=1 << 10)
def _call_key(native_id: str, call_id: str) -> int:
    """What joins a call with its result. A hash, because ids come from the log and go into `resume`. Asked for when the
    call comes, and twice when its result does."""
    return key_of(f"{native_id}\0{call_id}")


class Assembler:
    """The fold over one file."""

    def __init__(self, context: AssemblyContext, copied: Set[int] = frozenset(), resume: bytes | None = None) -> None:
        self._context = context
        state = decode_resume(resume)
        self._parts = state.parts
        self._index = {part.native_id: number for number, part in enumerate(self._parts)}
        self._copies = CopiedHistory(copied, state)
        self._joining = Joining(context, state.open_calls, state.early)
        self._events: list[EventRow] = []
        self._spends: dict[tuple[int, int], SpendRow] = {}
        self._safe_texts: dict[str, str] = {"": ""}
        self._texts: list[TextRow] = []
        self._notes: dict[tuple[int, str, int], Extract] = {}
        self._problems: list[Problem] = []
        self._problem_count = state.problems
        self.places: dict[str, str] = {}  # redacted root → folder, for looking at local checkouts; never stored
        self.folders: dict[str, str] = {}  # by session, as the log has them; never stored

    def take(self, readings: Iterable[Reading]) -> None:
        """Takes readings as they come. Their texts are redacted together, a bounded number at a time."""
        together: list[Reading] = []
        length = 0
        for reading in readings:
            together.append(reading)
            length += len(reading.text) if isinstance(reading, Event) else 0
            most = 1 if isinstance(reading, Event) and message_of(reading) is None else _TIMES_IN_MESSAGE
            if len(together) >= most * _TOGETHER or length >= most * _TOGETHER_LENGTH:
                self._take_together(together)
                together, length = [], 0
        self._take_together(together)

    def _take_together(self, readings: Sequence[Reading]) -> None:
        events = [reading for reading in readings if isinstance(reading, Event)]
        events = list(without_seams(events, self._context.redactor))
        contents = self._safe_contents([None if self._is_in_copy(event.session) else event for event in events])
        safe = zip(events, contents, strict=True)
        for reading in readings:
            if isinstance(reading, Event):
                self._take_event(*next(safe))
            elif isinstance(reading, Spend):
                self._take_spend(reading)
            elif isinstance(reading, Facts):
                self._take_facts(reading)
            else:
                self._take_problem(reading)

    def _safe_contents(self, events: Sequence[Event | None]) -> list[SafeContent]:
        """The redacted contents of these events, as far as rows hold them."""
        wanted = [event for event in events if event is not None]
        begun = [event for event in wanted if event.kind is EventKind.CALL]
        bodies = safe_bodies((event.text for event in wanted if event.kind in _SEARCHED), self._context.redactor)
        asked = iter(calls.take_calls(begun, self._context))
        return [
            None if event is None else next(asked) if event.kind is EventKind.CALL else bodies.get(event.text)
            for event in events
        ]

    def _is_in_copy(self, session: str) -> bool:
        """Whether what is read of this session is history that another part owns: its texts are seldom wanted."""
        number = self._index.get(session)
        return number is not None and self._copies.is_copying[number]

    def captured(self) -> Captured:
        """The rows so far, and what is needed to go on."""
        return Captured(
            parts=[place_part(part) for part in self._parts],
            events=self._events,
            actions=list(self._joining.actions.values()),
            spends=list(self._spends.values()),
            texts=self._texts,
            notes=list(self._notes.values()),
            problems=self._problems,
            claims=self._copies.claims,
            resume=msgspec.msgpack.encode(self._state()),
        )

    def _state(self) -> AssemblerResume:
        return AssemblerResume(
            parts=self._parts,
            open_calls=self._joining.open_calls,
            early=self._joining.early,
            owned=self._copies.owned(),
            copied=sorted(self._copies.copied),
            is_copying=self._copies.is_copying,
            problems=self._problem_count,
        )

    def safe_names(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Counts by names that come from the log."""
        safe: dict[str, int] = {}
        for name, count in counts.items():
            safe[self.safe(name)] = safe.get(self.safe(name), 0) + count
        return safe

    def _part(self, native_id: str) -> int:
        """The position of a session's part, made when its first reading comes."""
        safe = native_id if native_id in self._index else self.safe(native_id)
        if safe not in self._index:
            self._index[safe] = len(self._parts)
            self._parts.append(PartFacts(native_id=safe, is_tracked=self._context.is_tracked))
            self._copies.add_part()
        return self._index[safe]

    def safe(self, text: str) -> str:
        """A short text for a row. The same names and versions come with nearly every record."""
        safe = self._safe_texts.get(text)
        if safe is None:
            safe = safe_text(text, self._context.redactor)
            if len(self._safe_texts) < _MOST_KEPT:
                self._safe_texts[text] = safe
        return safe

    def _take_event(self, event: Event, content: SafeContent) -> None:
        if self._context.is_tracked:
            event, content = _disown(event), content if event.kind is not EventKind.PROMPT else None
        number = self._part(event.session)
        part = self._parts[number]
        if part.events >= 1 << ORDINAL_BITS:
            self._note_problem(event.offset, event.length, "more events than a session can hold")
            return
        is_copied = self._is_copy(number, part, event)
        self._events.append(
            EventRow(number, part.events, event.kind, event.at_ms, event.offset, event.length, is_copied)
        )
        part.events += 1
        note_time(part, event.at_ms)
        if is_copied:
            part.copied += 1
            return
        note_own(part, event)
        if content is None and (event.kind is EventKind.CALL or event.kind in _SEARCHED):
            content = self._safe_contents([event])[0]
        text = self._take_content(number, part, event, content)
        if text:
            self._texts.append(TextRow(number, part.events - 1, text))

    def _is_copy(self, number: int, part: PartFacts, event: Event) -> bool:
        """Whether this record's original is elsewhere. The result of a call that is our own is ours."""
        if event.kind is EventKind.RESULT and self._joining.awaits(part, event):
            return False
        return self._copies.is_copy(number, part, event)

    def _take_content(self, number: int, part: PartFacts, event: Event, content: SafeContent) -> str:
        """What the event itself says. Returns the text that is to be found by searching."""
        if isinstance(content, calls.PendingCall):
            begun = self._joining.begin(number, part, event, content)
            self._note(begun.notes)
            self._note_worked(part, event)
            return begun.target
        if not part.task and is_task(part, event):
            part.task = self.safe(event.text)
        if event.kind is EventKind.NOTICE:
            self._note(notes.of_notice(number, part, event, self._context.redactor))
        if event.kind is EventKind.NOTICE or event.file:
            self._note(instructions.of_event(number, part, event, self._context))
        if content is None:
            return ""
        body = content
        if event.kind is EventKind.RESULT:
            self._note(self._joining.end(part, event, body))
            note_remotes(part, body)
            return body
        if event.kind is EventKind.PROMPT:
            note_prompt(part, event, body)
        self._note(notes.of_text(number, part, event, body))
        return body

    def _note_worked(self, part: PartFacts, event: Event) -> None:
        """Where a session works of which nothing else says so."""
        if part.is_placeless:
            self.places.update(note_call(part, event, self._context, self.safe))

    def _note(self, noted: Iterable[Extract]) -> None:
        for note in noted:
            self._notes[note.part, note.kind, note.place] = note

    def _take_spend(self, spend: Spend) -> None:
        number = self._part(spend.session)
        key = key_of(f"spend:{spend.key}")
        if not self._copies.is_own(number, key):
            return
        row = spend_row(number, key, self.safe(spend.model), spend)
        before = self._spends.get((number, key))
        self._spends[number, key] = row if before is None else merge_spends(before, row)

    def _take_facts(self, facts: Facts) -> None:
        part = self._parts[self._part(facts.session)]
        if facts.cwd and not part.cwd:
            note_place(part, facts.cwd, self._context, self.safe)
            self.places[part.root] = self.folders[part.native_id] = facts.cwd
        note_facts(part, facts, self.safe)

    def _take_problem(self, problem: Problem) -> None:
        if problem.is_passing:
            self._problems.append(msgspec.structs.replace(problem, reason=self.safe(problem.reason)))
        else:
            self._note_problem(problem.offset, problem.length, self.safe(problem.reason))

    def _note_problem(self, offset: int, length: int, reason: str) -> None:
        """A damaged file can have a problem in every line; the first ones tell enough."""
        self._problem_count += 1
        if self._problem_count <= _MOST_PROBLEMS:
            self._problems.append(Problem(offset, length, reason))
        elif self._problem_count == _MOST_PROBLEMS + 1:
            self._problems.append(Problem(offset, length, "further problems of this file are not listed"))


def _disown(event: Event) -> Event:
    """The event of a log that came with a checkout: nobody typed a prompt in it, or an answer."""
    if event.kind is EventKind.PROMPT:
        return msgspec.structs.replace(event, kind=EventKind.NOTICE)
    result = msgspec.structs.replace(event.result, said="") if event.result is not None else None
    return msgspec.structs.replace(event, result=result)


def note_call(part: PartFacts, event: Event, context: AssemblyContext, safe: Callable[[str], str]) -> dict[str, str]:
    """Counts the places of a call, redacted; counts only grow with the file, so that any split into appends gives those
    of the whole. Returns the folders that commands named, as they are kept and as the log has them."""
    arguments = event.arguments or {}
    tool = context.tool_names.get(event.tool, event.tool)
    raw = places_of_command(tools.command_of(arguments), folder_named(arguments))
    named = {safe(place): place for place in sorted(raw)}
    files = (safe(path) for path in tools.paths_of(tool, arguments)[:_MOST_FILES])
    touched = {place_of_file(path, part.worked) for path in files} - {""}
    _count(part, {*named, *touched})
    return {kept: place for kept, place in named.items() if place.startswith(("/", "~"))}


def note_remotes(part: PartFacts, output: str) -> None:
    """Counts the remotes that a redacted output shows."""
    if part.is_placeless:
        _count(part, remotes_in(output))


def place_part(part: PartFacts) -> PartFacts:
    """The part with the place in which most was done, where nothing else gives it one."""
    if not part.is_placeless or not part.worked:
        return part
    root, remote = main_place(part.worked)
    return msgspec.structs.replace(part, root=root or part.root, remote=remote)


def _count(part: PartFacts, places: set[str]) -> None:
    for place in sorted(places):
        if place in part.worked or len(part.worked) < MOST_PLACES:
            part.worked[place] = part.worked.get(place, 0) + 1
