"""What passes between those who read a file and the one who writes its rows: which file it is (`Origin`), how far it
had been read (`Bookmark`), what became of it (`Derived`), and what its row keeps for the next run (`FileResume`).

Values alone, which cross between processes as bytes. Everything that goes into rows is redacted; the frames are the
original bytes, packed for the archive. The key of a file comes from its origin alone, so it is the same on every run
and after a rebuild; archived files say their origin in their header.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from afterwit.model.captured import Captured, PartFacts, unpack_keys
from afterwit.store.rows.files import FileRow, file_key

if TYPE_CHECKING:
    from afterwit.capture.assembly.parts import AssemblerResume

TRANSCRIPT, COMPANION, SOURCE = "transcript", "companion", "source"
SESSIONS = "session"  # under this name the row of a source says how many it holds


class FileResume(msgspec.Struct, array_like=True):
    """The states of both. The order of the fields is the format."""

    reader: bytes
    assembler: bytes


class Origin(NamedTuple):
    """Which file it is: of which agent, and where below the agent's home."""

    agent: str
    label: str  # "" for the agent's first home
    path: PurePosixPath
    is_tracked: bool = False  # git holds it as part of a checkout: what its rows go by

    @property
    def key(self) -> bytes:
        return file_key(self.agent, self.label + str(self.path))

    def header(self, role: str, generation: int) -> dict[str, str | int]:
        """What an archived file says of itself."""
        fields = {"agent": self.agent, "label": self.label, "path": str(self.path)}
        return {**fields, "role": role, "generation": generation, **({"tracked": 1} if self.is_tracked else {})}


class Bookmark(msgspec.Struct, frozen=True, kw_only=True):
    """How far a file had been read."""

    held_bytes: int
    sha256: str
    cursor: int
    resume: bytes | None  # None: read the file from its beginning again


class ReadingMode(StrEnum):
    """How the rows of a reading relate to those of the last one."""

    WHOLE = "whole"  # the file was read from its beginning; its earlier rows, if any, are replaced
    APPEND = "append"  # the rows continue the earlier ones
    REWRITTEN = "rewritten"  # read from the beginning, because the bytes read before are gone
    UNCHANGED = "unchanged"  # only the time stamp was new
    FAILED = "failed"


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """A companion, packed for the archive."""

    path: bytes  # as the file system has it: a name need not be text
    frames: list[bytes]
    held_bytes: int
    sha256: str
    size_bytes: int
    mtime_ns: int
    inode: int


class Derived(msgspec.Struct, kw_only=True):
    """What became of one file."""

    mode: ReadingMode
    captured: Captured | None = None
    frames: list[bytes] = msgspec.field(default_factory=list)  # of the bytes behind those already held
    fresh_bytes: int = 0  # how many those are
    held_bytes: int = 0
    sha256: str = ""
    cursor: int = 0
    resume: bytes = b""
    known: dict[str, int] = msgspec.field(default_factory=dict)
    unknown: dict[str, int] = msgspec.field(default_factory=dict)
    copies: list[Copy] = msgspec.field(default_factory=list)  # of new and changed companions
    places: dict[str, str] = msgspec.field(default_factory=dict)  # root → folder, as the log has it; never stored
    checkouts: dict[str, str] = msgspec.field(default_factory=dict)  # root → remote, where it is on this machine
    folders: dict[str, str] = msgspec.field(default_factory=dict)  # by session, as the log has it; never stored
    size_bytes: int = 0
    mtime_ns: int = 0
    inode: int = 0
    error: str = ""
    is_unfinished: bool = False  # it is being written anew: what was read before stands, and the next run looks again


def rows_in(derived: Derived) -> Captured:
    """The rows of a file that was read."""
    assert derived.captured is not None
    return derived.captured


def origin_in(header: Mapping[str, Any]) -> Origin:
    """The origin that an archived file's header names."""
    path = PurePosixPath(str(header["path"]))
    return Origin(str(header["agent"]), str(header["label"]), path, bool(header.get("tracked")))


def decode_file_resume(resume: bytes) -> FileResume:
    return msgspec.msgpack.decode(resume, type=FileResume)


def _state_in(resume: bytes) -> "AssemblerResume":
    from afterwit.capture.assembly.parts import (
        decode_resume,  # with all that reads, which few need who ask for a file
    )

    return decode_resume(decode_file_resume(resume).assembler)


def keys_held(resume: bytes) -> dict[str, list[int]]:
    """The keys of all records that a file was found to hold, by session."""
    return _state_in(resume).keys


def parts_held(resume: bytes) -> list[PartFacts]:
    """What a file was found to say of its sessions."""
    return [part for part in _state_in(resume).parts if not part.is_empty]


def keys_of(row: FileRow) -> dict[str, list[int]]:
    """The same keys for a file of the store, whether its original was given up or not."""
    if not row.resume:
        return {}
    return unpack_keys(row.resume) if row.is_dropped else keys_held(row.resume)
