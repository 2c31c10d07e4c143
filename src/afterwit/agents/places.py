"""Where and when a record was written, and whose it is: what every event that comes out of it has in common.

Makes the events of a record, so that readers need not repeat its place for each. Keys are the readers' business: they
know what a record and its copies share. No id is trusted to be one of its kind, however it looks: many servers of
models count, and each of their sessions has the same ids. `identity`, `asked` and `answered` make keys of an id and of
the time of its record, which copies keep; of the session where a log has no times; of a call also what it was given.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from afterwit.agents.reading import mark
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Result, Spend, Usage
from afterwit.sources.framing import Record


class Place(NamedTuple):
    """One record, or one piece of it."""

    session: str
    offset: int
    length: int
    at_ms: int | None = None

    @classmethod
    def of(cls, session: str, record: Record, at_ms: int | None = None) -> "Place":
        return cls(session, record.offset, record.length, at_ms)

    def event(self, kind: EventKind, key: str, **more: Any) -> Event:
        at = self.at_ms
        return Event(session=self.session, kind=kind, offset=self.offset, length=self.length, at_ms=at, key=key, **more)

    def said(self, kind: EventKind, text: str = "", key: str = "") -> Event:
        return self.event(kind, key, text=text)

    def call(self, key: str, call_id: str, tool: str, arguments: dict[str, Any]) -> Event:
        return self.event(EventKind.CALL, key, call_id=call_id, tool=tool or "unnamed", arguments=arguments)

    def result(self, key: str, call_id: str, text: str, result: Result) -> Event:
        return self.event(EventKind.RESULT, key, call_id=call_id, text=text, result=result)

    def problem(self, reason: str) -> Problem:
        return Problem(offset=self.offset, length=self.length, reason=reason)

    def asked(self, call_id: str, tool: str, arguments: dict[str, Any]) -> Event:
        """A call, known by its id, its time and what it was given."""
        key = f"call:{self.identity(call_id)}:{mark(repr(arguments))}"
        return self.call(key, call_id, tool, arguments)

    def answered(self, call_id: str, text: str, result: Result) -> Event:
        """The result of such a call."""
        return self.result(f"result:{self.identity(call_id)}", call_id, text, result)

    def spent(self, key: str, model: str, usage: Usage, cost_usd: float | None = None) -> Iterator[Spend]:
        """What a response, a turn or a session used; nothing where that is nothing."""
        if usage != Usage():
            yield Spend(session=self.session, key=key, model=model, usage=usage, at_ms=self.at_ms, cost_usd=cost_usd)

    def identity(self, name: str) -> str:
        """What a record of this name has in common with its copies and with nothing else."""
        return identity(self.session, self.at_ms, name)

    def made_up(self, number: int = 0) -> str:
        """An id for a call that the log gives none."""
        return f"at-{self.offset}-{number}"


def identity(session: str, at_ms: int | None, name: str) -> str:
    """An id, together with what tells it from the same id elsewhere."""
    return f"{session if at_ms is None else at_ms}:{name}"
