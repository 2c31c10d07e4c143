"""What every reader of an agent's logs provides. Adding an agent is one folder that does so, and one registry line.

A reader is pure: bytes in, readings out. It opens no file; the bytes of files beside the transcript come through
`SourceFile.companion`. Its state between two appends is small, holds ids and counters only (no text of the log, which
may contain secrets), and goes through `save`.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Protocol

from afterwit.model.evidence import ReaderEvidence
from afterwit.model.readings import Reading
from afterwit.sources.framing import Record


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
        object."""
        ...

    def save(self) -> bytes:
        """The state, to go on from with `Reader.start(file, saved)`."""
        ...


class Reader(Protocol):
    """All that is known about one agent's logs."""

    agent: str
    evidence: ReaderEvidence

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        """The transcript that this file is, or belongs to as a companion; None if it is neither."""
        ...

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        """Whether this is one of the first records of a log of this agent."""
        ...

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading: ...
