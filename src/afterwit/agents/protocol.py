"""What every reader of an agent's logs provides. The table in an agent's package names its reader.

A reader is pure: bytes in, readings out. It opens no file; the bytes of files beside the transcript come through
`SourceFile.companion`. Its state between two appends is small, holds ids and counters only (no text of the log, which
may contain secrets), and goes through `save`.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Protocol, runtime_checkable

from afterwit.model.kinds import ReaderEvidence
from afterwit.model.readings import Reading
from afterwit.sources.framing import Record


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


class WholeReading(FileReading, Protocol):
    """The reading of a document or a text. It is never resumed, so `save` may give nothing. Each event has the range of
    its own piece of the file, and `piece` reads that alone."""

    def piece(self, record: Record) -> Iterable[Reading]:
        """The readings of one piece, in a fresh reading: the events that `feed` gives this range, with the same kinds
        and texts. What other pieces say (ids, times, the session) may be missing or made up."""
        ...


class Reader(Protocol):
    """All that is known about one agent's logs."""

    agent: str
    evidence: ReaderEvidence

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        """The transcript that this file is, or belongs to as a companion; None if it is neither."""
        ...

    def shape(self, path: PurePosixPath) -> Shape:
        """How this transcript is read. Decided by the file's name alone: it may lie in a folder given by hand. Where
        it is no LINES, `start` gives a WholeReading."""
        ...

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        """Whether this is one of the first records of a log of this agent. A document is its own first record, or, if
        it is a list, each of its first elements is one; texts are recognised by name."""
        ...

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading: ...


@runtime_checkable
class Sharing(Protocol):
    """A reader whose transcripts want files that are no companion of one of them alone, such as a list of projects."""

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        """Files below the home that this transcript may ask for as if they were its companions; none, if it is no
        transcript."""
        ...


def shared_files(reader: Reader, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
    """The files that a transcript shares with others."""
    return reader.shared(path) if isinstance(reader, Sharing) else ()
