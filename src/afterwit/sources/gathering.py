"""Sessions that are not one file each: rows of a database, folders of many small files.

Each such session is *rendered* into JSON lines, one per row (`{"table": …, "row": {…}}`) or file (`{"file": …,
"content": …}`). These bytes are what is archived and what the agent's reader reads, as if they were a file at a path
such as `opencode.db/<session>.jsonl`. A rendering is a function of the source alone, and in an order in which a growing
session grows at its end, so far as the source allows that. What the lines mean is left to the readers.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote

import msgspec

from afterwit.sources.log_files import LogFile

_SUFFIX = ".jsonl"
_PLAIN = "-_.~$:@=+,"  # kept as they are in the name of a rendering


class SourceError(OSError):
    """The source is locked, damaged, gone, or not what its name says. Belongs to the data: it becomes an error row."""


class Rendering(NamedTuple):
    """One session as bytes, and its mark at the moment of reading."""

    file: LogFile
    data: bytes


class Gatherer(Protocol):
    """Finds and renders the sessions of one kind of source."""

    def collection(self, path: PurePosixPath) -> PurePosixPath | None:
        """The source that a file is or belongs to, by its path alone: the database of a `-wal` file."""
        ...

    def renders(self, path: PurePosixPath) -> bool:
        """Whether this is the path of a rendering, by its name alone."""
        ...

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[LogFile]) -> list[LogFile]:
        """The renderings that a source would give, cheaply. Size, time and inode of each change whenever its session
        does; they are no more than marks. `files` are all files of the source. Raises SourceError."""
        ...

    def render(self, home: Path, path: PurePosixPath) -> Rendering:
        """One session. Raises SourceError."""
        ...


def row_line(table: str, row: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"table": table, "row": row}) + b"\n"


def file_line(path: PurePosixPath, content: Any) -> bytes:
    return msgspec.json.encode({"file": str(path), "content": content}) + b"\n"


def rendering_path(collection: PurePosixPath, session: str) -> PurePosixPath:
    """The path of a session's rendering. Ids come from the source and may hold anything."""
    return collection / (quote(session, safe=_PLAIN, errors="surrogatepass") + _SUFFIX)


def session_in(path: PurePosixPath) -> str:
    """The id of the session that is rendered at this path."""
    return unquote(path.name.removesuffix(_SUFFIX), errors="surrogatepass")


def is_rendering(path: PurePosixPath) -> bool:
    return path.suffix == _SUFFIX


def mark_of(*values: Any) -> int:
    """A number that changes with the values, in place of an inode."""
    digest = hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest)
