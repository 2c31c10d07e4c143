"""What passes between those who read a file and the one who writes its rows: how far it had been read, what became of
it, its companions.

Values alone, which cross between processes as bytes. Everything that goes into rows is redacted; the frames are the
original bytes, packed for the archive.
"""

from enum import StrEnum

import msgspec

from afterwit.model.captured import Captured


class Bookmark(msgspec.Struct, frozen=True, kw_only=True):
    """How far a file had been read."""

    held_bytes: int
    sha256: str
    cursor: int
    resume: bytes | None  # None: read the file from its beginning again


class Mode(StrEnum):
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

    mode: Mode
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
    checkouts: dict[str, str] = msgspec.field(default_factory=dict)  # root → remote, where it is on this machine
    size_bytes: int = 0
    mtime_ns: int = 0
    inode: int = 0
    error: str = ""
    is_unfinished: bool = False  # it is being written anew: what was read before stands, and the next run looks again


def captured_in(derived: Derived) -> Captured:
    """The rows of a file that was read."""
    assert derived.captured is not None
    return derived.captured
