"""What readers and their readings have in common: shapes, counts, and the state between two appends.

A reader derives from `LinesReader` or `DocumentReader`, a reading from `LinesReading` or `DocumentReading`, and says
only what its agent's logs mean.

What a reading remembers between two appends are counts of record types, and marks of what it has told already. Marks
are 64-bit hashes, so that no text of the log goes into the state. They are bounded and forget the oldest first; by then
the keys of prompts and calls still tell a repetition. Readers with more to remember derive from `ReadingMemory`.
"""

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Generic, Protocol, TypeVar

import msgspec

from afterwit.agents.protocol import Shape

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
        self._bound()
        return True

    def forget(self, *words: str) -> None:
        """Makes it new again."""
        self.marks.pop(_hash(words), None)

    def nth(self, *words: str) -> int:
        """How often this came by now, this time included."""
        mark = _hash(words)
        self.marks[mark] = times = self.marks.get(mark, 0) + 1
        self._bound()
        return times

    def _bound(self) -> None:
        if len(self.marks) > _MARKS:
            del self.marks[next(iter(self.marks))]


def mark(value: str) -> str:
    """A short hash that stands for a text where the text itself must not be kept."""
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _hash(words: tuple[str, ...]) -> int:
    joined = "\0".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), "big")


class Counted(Protocol):
    """The state of a reading: it counts the records by type."""

    known: dict[str, int]
    unknown: dict[str, int]


StateT = TypeVar("StateT", bound=Counted)


class LinesReader:
    """A reader whose transcripts are lines."""

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.LINES


class DocumentReader:
    """A reader whose transcripts are documents."""

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.DOCUMENT


class LinesReading(Generic[StateT]):
    """The reading of lines, resumed from its state."""

    def __init__(self, state: StateT) -> None:
        self._state = state
        self.known: Mapping[str, int] = state.known
        self.unknown: Mapping[str, int] = state.unknown

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    @property
    def _is_at_start(self) -> bool:
        return not self.known and not self.unknown


class DocumentReading:
    """The reading of a document or a text, which is never resumed."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._memory = ReadingMemory()
        self.known: Mapping[str, int] = self._memory.known
        self.unknown: Mapping[str, int] = self._memory.unknown

    def save(self) -> bytes:
        return b""


def resumed(state: type[StateT], saved: bytes | None) -> StateT:
    """The state that was saved, or a new one."""
    return msgspec.msgpack.decode(saved, type=state) if saved else state()
