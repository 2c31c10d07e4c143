"""What every reader of an agent's logs provides, and what readers and their readings have in common.

A reader is pure: bytes in, readings out. It opens no file; the bytes of files beside the transcript come through
`SourceFile.companion`. Its state between two appends is small, holds ids, counters and hashes only (no text of the log,
which may contain secrets), and is bounded.

A reader derives from `Reader`, a reading from `LinesReading`, `RowsReading` or `DocumentReading`, and says only what
its agent's logs mean. A `Place` makes the events of a record. Keys are the readers' business: they know what a record
and its copies share. No id is trusted to be one of its kind, however it looks: many servers of models count, and each
of their sessions has the same ids. `identity`, `asked` and `answered` make keys of an id and of the time of its record,
which copies keep; of the session where a log has no times; of a call also what it was given.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from afterwit.agents.descriptor import matches
from afterwit.agents.fields import decoded_text
from afterwit.agents.hook_payloads import described
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Problem, Reading, Result, Spend, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record
from afterwit.sources.gathering import session_in


class Shape(StrEnum):
    """How a transcript is cut into records."""

    LINES = "lines"  # one JSON object a line; read on from where the last run stopped
    DOCUMENT = "document"  # the whole file is one JSON value and one record
    TEXT = "text"  # the whole file is one record, as it is


class SourceFile(NamedTuple):
    """The file being read: its path below the agent's home, and a way to the files that belong to it."""

    path: PurePosixPath
    companion: Callable[[PurePosixPath], bytes | None]


class FileReading(Protocol):
    """The reading of one file, resumable at any record."""

    known: Mapping[str, int]  # records by type, since the beginning of the file
    unknown: Mapping[str, int]  # those whose type this reader does not know

    def feed(self, record: Record) -> Iterable[Reading]:
        """The readings of one record. Raises msgspec.DecodeError, before any change of state, if it is no JSON
        object (a document: no JSON value of the kind that it should be)."""
        ...

    def save(self) -> bytes:
        """The state, to go on from with `Reader.start(file, saved)`."""
        ...


_NAMES = 100
_NAME_CHARS = 80
_MARKS = 20_000


class ReadingMemory(msgspec.Struct):
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}
    marks: dict[int, int] = {}

    def count(self, name: str, *, is_known: bool) -> None:
        """Counts a record. Unknown names come from the log: their length and number are bounded."""
        counts = self.known if is_known else self.unknown
        name = name[:_NAME_CHARS] or "(no type)"
        if not is_known and name not in counts and len(counts) >= _NAMES:
            name = "(more)"
        counts[name] = counts.get(name, 0) + 1

    def is_new(self, *words: str) -> bool:
        """Whether this was not told before; it counts as told from now on."""
        mark = _hash(words)
        if mark in self.marks:
            return False
        self.marks[mark] = 1
        self._bind()
        return True

    def forget(self, *words: str) -> None:
        """Makes it new again."""
        self.marks.pop(_hash(words), None)

    def nth(self, *words: str) -> int:
        """How often this came by now, this time included."""
        mark = _hash(words)
        self.marks[mark] = times = self.marks.get(mark, 0) + 1
        self._bind()
        return times

    def _bind(self) -> None:
        if len(self.marks) > _MARKS:
            del self.marks[next(iter(self.marks))]


def mark(value: str) -> str:
    """A short hash that stands for a text where the text itself must not be kept."""
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _hash(words: tuple[str, ...]) -> int:
    joined = "\0".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), "big")


StateT = TypeVar("StateT", bound=ReadingMemory)


def resumed(state: type[StateT], saved: bytes | None) -> StateT:
    """The state that was saved (older readers wrote JSON), or a new one."""
    decode = msgspec.json.decode if saved and saved.startswith(b"{") else msgspec.msgpack.decode
    return decode(saved, type=state) if saved else state()


class _Timed:
    """What tells when a record was written: the first of these fields, by its path, that holds a time."""

    times: tuple[str, ...] = ("timestamp",)

    def time_of(self, value: Mapping[str, Any]) -> int | None:
        return next(filter(None, (ms_from_any(_below(value, path)) for path in self.times)), None)


def _below(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


class LinesReading(_Timed, Generic[StateT]):
    """The reading of lines, resumed from its state. `begin` is asked at the first record, `read` at each."""

    state_type: type[StateT]

    def __init__(self, file: SourceFile, saved: bytes | None = None) -> None:
        self._file = file
        self._state = resumed(self.state_type, saved)
        self._session = self.session_of(file.path)
        self.known: Mapping[str, int] = self._state.known
        self.unknown: Mapping[str, int] = self._state.unknown

    def session_of(self, path: PurePosixPath) -> str:
        return path.stem

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        place = Place.of(self._session, record, self.time_of(value))
        first = [] if self.known or self.unknown else list(self.begin(value, place))
        return [*first, *self.read(value, place)]

    def begin(self, value: dict[str, Any], place: "Place") -> Iterable[Reading]:  # noqa: ARG002 - for others to say
        return ()

    def read(self, value: dict[str, Any], place: "Place") -> Iterable[Reading]:
        raise NotImplementedError


class DocumentReading(_Timed):
    """The reading of a document, which is never resumed: what it says as a whole, then its pieces, then its end."""

    pieces: tuple[str | int, ...] = ("messages",)  # where they lie

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._session = self.session_of(file.path)
        self._memory = ReadingMemory()
        self.known: Mapping[str, int] = self._memory.known
        self.unknown: Mapping[str, int] = self._memory.unknown

    def session_of(self, path: PurePosixPath) -> str:
        return path.stem

    def save(self) -> bytes:
        return b""

    def feed(self, record: Record) -> Iterator[Reading]:
        yield from self.begin(msgspec.json.decode(record.raw, type=dict[str, Any]))
        for item in items(record, *self.pieces):
            yield from self.piece(item)

    def begin(self, document: Mapping[str, Any]) -> Iterable[Reading]:  # noqa: ARG002 - for others to say
        return ()

    def piece(self, record: Record) -> Iterator[Reading]:
        """The readings of one piece, also in a fresh reading: what other pieces say (ids, times, the session) may be
        missing or made up then."""
        value = msgspec.json.decode(record.raw)
        if isinstance(value, dict):
            yield from self.read(value, Place.of(self._session, record, self.time_of(value)))
        else:
            self._memory.count("(no object)", is_known=False)

    def read(self, value: dict[str, Any], place: "Place") -> Iterable[Reading]:
        raise NotImplementedError


class Reader:
    """All that is known about one agent's logs. The transcripts are those in its table, each read as a whole document
    or as lines."""

    agent = ""
    evidence = ReaderEvidence.DOCUMENTATION
    paths: tuple[str, ...] | None = None  # where other paths than those of the table are transcripts
    companions: Mapping[str, str] = {}  # by name: that of the transcript beside them
    stand_ins: frozenset[str] = frozenset()  # names of companions that are read where their transcript is not there
    lines: Callable[[SourceFile, bytes | None], FileReading] | None = None
    document: Callable[[SourceFile], FileReading] | None = None  # of files of JSON, where there are lines too

    def __init__(self, agent: str = "") -> None:
        self.agent = agent or self.agent
        self._paths = described(self.agent)["transcripts"] if self.paths is None else self.paths

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        """The transcript that this file is, or belongs to as a companion; None if it is neither."""
        path = path.with_name(self.companions[path.name]) if path.name in self.companions else path
        return path if matches(self._paths, path) else None

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:  # noqa: ARG002 - few have any
        """Files below the home that this transcript may ask for as if they were its companions, such as a list of
        projects; none, if it is no transcript."""
        return ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        """Whether this is one of the first records of a log of this agent. A document is its own first record, or, if
        it is a list, each of its first elements is one; texts are recognised by name."""
        raise NotImplementedError

    def shape(self, path: PurePosixPath) -> Shape:
        """How this transcript is read, by the file's name alone: it may lie in a folder given by hand. What is no
        LINES is read by a `DocumentReading`."""
        is_document = self.document is not None and (self.lines is None or path.suffix == ".json")
        return Shape.DOCUMENT if is_document else Shape.LINES

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        if self.document is not None and self.shape(file.path) is Shape.DOCUMENT:
            return self.document(file)
        assert self.lines is not None
        return self.lines(file, saved)


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

    def told(self, kind: EventKind, text: str, key: str = "") -> Iterator[Event]:
        """The same, or nothing where the text is blank."""
        if text.strip():
            yield self.event(kind, key, text=text)

    def failed(self, status: int | None, said: str, key: str = "") -> Event:
        """A request of a model that failed."""
        return self.said(EventKind.MODEL_ERROR, f"{status} {said}" if status else said, key)

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
        if usage != Usage() or cost_usd:
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


_NATIVE = regex(r"[\w.:/@#+$=~%-]{1,300}")


class Row(NamedTuple):
    """One row of a table, or one file. Both names are "" where the line is of another kind."""

    table: str
    file: str
    values: Mapping[str, Any]


def row_of(line: Mapping[str, Any]) -> Row:
    table, file = line.get("table"), line.get("file")
    values = line.get("row" if isinstance(table, str) else "content")
    if not isinstance(values, dict):
        return Row("", "", {})
    return Row(table if isinstance(table, str) else "", file if isinstance(file, str) else "", values)


def column(row: Mapping[str, Any], name: str) -> Any:
    """The value of a column, decoded if it is the text of a JSON value."""
    value = row.get(name)
    return decoded_text(value) if isinstance(value, str) else value


def native_id(value: Any) -> str:
    """A session's id, which may go into the state; "" where it is none."""
    return value if isinstance(value, str) and _NATIVE.fullmatch(value) else ""


class RowsState(ReadingMemory):
    session: str = ""
    is_child: bool = False  # another agent started the session
    model: str = ""


RowsT = TypeVar("RowsT", bound=RowsState)


class RowsReading(LinesReading[RowsT]):
    """The reading of a rendered session. A reader says what it makes of a row; None if it does not know the table."""

    def session_of(self, path: PurePosixPath) -> str:
        return native_id(session_in(path)) or "unnamed"

    def feed(self, record: Record) -> list[Reading]:
        row = row_of(msgspec.json.decode(record.raw, type=dict[str, Any]))
        self._session = self._state.session or self._session
        readings = self.take(row, Place.of(self._session, record, self.time_of(row.values)))
        if readings is None:
            self.noted(row.table or row.file.partition("/")[0], is_known=False)
        return [] if readings is None else list(readings)

    def take(self, row: Row, place: Place) -> Iterable[Reading] | None:
        raise NotImplementedError

    def noted(self, name: str, *, is_known: bool = True) -> None:
        self._state.count(name, is_known=is_known)
