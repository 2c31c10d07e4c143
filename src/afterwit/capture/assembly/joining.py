"""Joins the calls of one file with their results, whichever comes first and however far apart they are.

Every call has a row as soon as it is read, and its result replaces the row. What waits for its other half is kept for
the next append. What a call and its end look like is in `calls`; what they leave for the digest is handed back.
"""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from afterwit.capture.assembly import calls, instructions, notes
from afterwit.capture.assembly.context import Context
from afterwit.model.captured import ActionRow, NoteRow, PartFacts, key_of
from afterwit.model.readings import Event

_MOST_EARLY = 32  # results without a call that are kept, in case it follows


class Begun(NamedTuple):
    """What a call says besides its row."""

    target: str
    notes: list[NoteRow]


class Joining:
    """The calls of one file."""

    def __init__(
        self, context: Context, open_calls: dict[int, calls.OpenCall], early: dict[int, calls.Outcome]
    ) -> None:
        self._context = context
        self.open_calls = open_calls
        self.early = early  # results that came before their calls
        self.actions: dict[tuple[int, int], ActionRow] = {}  # by part and ordinal

    def awaits(self, part: PartFacts, event: Event) -> bool:
        """Whether the call of this result is open."""
        return _call_key(part.native_id, event.call_id) in self.open_calls

    def begin(self, number: int, part: PartFacts, event: Event) -> Begun:
        """Takes a call of the part at this position."""
        context = self._context
        call = calls.opened(event, context.agent, number, part.calls, context.redactor, context.tool_names)
        showing = instructions.shown_by_call(call.kind, event, part, context.redactor)
        call = msgspec.structs.replace(call, showing=showing) if showing else call
        part.calls += 1
        key = _call_key(part.native_id, event.call_id)
        early = self.early.pop(key, None)
        if early is None:
            self.open_calls[key] = call
        self.actions[number, call.ordinal] = calls.pending(call)
        noted = [*notes.of_call(call, event, context.redactor)]
        if early:
            noted += self._settle(call, early)
        return Begun(call.target, noted)

    def end(self, part: PartFacts, event: Event, output: str) -> list[NoteRow]:
        """Joins a result with its call. One that says that the command still runs leaves the call open."""
        key = _call_key(part.native_id, event.call_id)
        call = self.open_calls.get(key)
        if call is not None and event.file:
            call = msgspec.structs.replace(call, showing=None)
        if call is not None:
            if not (event.result and event.result.is_running):
                del self.open_calls[key]
            return self._settle(call, calls.outcome(event, output))
        self.early[key] = calls.early(event, output)
        if len(self.early) > _MOST_EARLY:
            self.early.pop(next(iter(self.early)))
        return []

    def _settle(self, call: calls.OpenCall, outcome: calls.Outcome) -> list[NoteRow]:
        row = calls.settled(call, outcome)
        self.actions[call.part, call.ordinal] = row
        return [*notes.of_result(call, row, outcome, self._context.redactor)]


@lru_cache(maxsize=1 << 10)
def _call_key(native_id: str, call_id: str) -> int:
    """What joins a call with its result. A hash, because ids come from the log and go into `resume`. Asked for when the
    call comes, and twice when its result does."""
    return key_of(f"{native_id}\0{call_id}")
