"""Where and when a record was written, and whose it is: what every event that comes out of it has in common.

Makes the events of a record, so that readers need not repeat its place for each. Keys are the readers' business: they
know what a record and its copies share. Where calls are known by their ids alone, `asked` and `answered` make the keys:
the id, together with the session where the id is such that other sessions may have it too.
"""

import re
from typing import Any, NamedTuple

from afterwit.agents.memory import mark
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Problem, Result
from afterwit.sources.framing import Record

_UNIQUE_CHARS = 16  # a shorter id can be a mere number, which other turns and sessions have too
_DRAWN = re.compile(  # what was drawn at random, or taken from a clock; words and counters are neither
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![A-Za-z0-9])(?:(?=[A-Za-z]*\d)[A-Za-z0-9]{10}|[A-Za-z0-9]{20})"
)
_COUNTED = re.compile(r"functions?\.[\w.-]+:\d{1,9}")  # the name of a tool and the how-manieth call it is


class Place(NamedTuple):
    """One record, or one piece of it."""

    session: str
    offset: int
    length: int
    at_ms: int | None = None

    @classmethod
    def of(cls, session: str, record: Record, at_ms: int | None = None) -> "Place":
        return cls(session, record.offset, record.length, at_ms)

    def said(self, kind: EventKind, text: str = "", key: str = "") -> Event:
        return Event(
            session=self.session,
            kind=kind,
            offset=self.offset,
            length=self.length,
            at_ms=self.at_ms,
            key=key,
            text=text,
        )

    def call(self, key: str, call_id: str, tool: str, arguments: dict[str, Any]) -> Event:
        return Event(
            session=self.session,
            kind=EventKind.CALL,
            offset=self.offset,
            length=self.length,
            at_ms=self.at_ms,
            key=key,
            call_id=call_id,
            tool=tool or "unnamed",
            arguments=arguments,
        )

    def result(self, key: str, call_id: str, text: str, result: Result) -> Event:
        return Event(
            session=self.session,
            kind=EventKind.RESULT,
            offset=self.offset,
            length=self.length,
            at_ms=self.at_ms,
            key=key,
            call_id=call_id,
            text=text,
            result=result,
        )

    def problem(self, reason: str) -> Problem:
        return Problem(offset=self.offset, length=self.length, reason=reason)

    def asked(self, call_id: str, tool: str, arguments: dict[str, Any]) -> Event:
        """A call that its id alone makes known; where ids are merely counted, its session, time and content do."""
        more = "" if is_unique(call_id) else f":{self.at_ms}:{mark(repr(arguments))}"
        return self.call(f"call:{self.identity(call_id)}{more}", call_id, tool, arguments)

    def answered(self, call_id: str, text: str, result: Result) -> Event:
        """The result of such a call."""
        return self.result(f"result:{self.identity(call_id)}", call_id, text, result)

    def identity(self, name: str) -> str:
        """What a record of this name has in common with its copies and with nothing else."""
        return identity(self.session, name)

    def made_up(self, number: int = 0) -> str:
        """An id for a call that the log gives none."""
        return f"at-{self.offset}-{number}"


def identity(session: str, name: str) -> str:
    """A name, made unique by the session where others may have it too."""
    return name if is_unique(name) else f"{session}:{name}"


def is_unique(name: str) -> bool:
    """Whether an id is one of its kind everywhere. Many servers of local models count: `call_1`, `functions.Bash:0`."""
    return len(name) >= _UNIQUE_CHARS and _DRAWN.search(name) is not None and not _COUNTED.fullmatch(name)
