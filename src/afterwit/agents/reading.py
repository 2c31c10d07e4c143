"""What readers and their readings have in common: shapes, counts, and the state between two appends.

A reader derives from `LinesReader` or `DocumentReader`, a reading from `LinesReading` or `DocumentReading`, and says
only what its agent's logs mean.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Generic, Protocol, TypeVar

import msgspec

from afterwit.agents.memory import ReadingMemory
from afterwit.agents.protocol import Shape


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
