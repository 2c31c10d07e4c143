"""One file of the spool, as a hook sees it: the log of one agent session.

A hook holds the file under a lock while it looks up what the session was shown, decides, and appends; so two hooks of
one session never say the same thing. A record is one line and one write; what a killed hook has left of one is ended
before the next. The file is named by a slug and a hash, because session ids come from outside, and a link or anything
else that is no file is refused. Imports nothing slow; taking files in is `spool`'s.
"""

import os
from stat import S_ISREG

from afterwit.model.quick_json import dumps, loads

try:
    import fcntl
except ImportError:  # on Windows a file that someone has open is not removed, which is what the lock is for
    fcntl = None  # type: ignore[assignment]

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

ENDING = ".jsonl"
TOOL = "tool"  # the kind of most records, which no hook needs to read again
_TOOL_LINE = b'{"kind":"tool"'
_BEGINNING = b'{"kind":"'  # of every record; quotes inside a text are escaped, so that it is found nowhere else
_LONGEST_SLUG = 24
_FLAGS = (
    os.O_RDWR
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe in the place of the file is refused, not waited for
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class SpoolFile:
    """An open file, locked until it is closed."""

    def __init__(self, folder: str, agent: str, session: str) -> None:
        self.path = file_of(folder, agent, session)
        self._handle = _open_locked(self.path)

    def __enter__(self) -> "SpoolFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._handle)

    def records(self) -> list[dict[str, object]]:
        """What was written so far, without tool events and without lines that cannot be read."""
        records = []
        for line in self._content().split(b"\n"):
            if not line or line.startswith(_TOOL_LINE):
                continue
            record = record_in(line)
            if record is not None:
                records.append(record)
        return records

    def append(self, *records: dict[str, object]) -> None:
        """Adds records, all or none."""
        lines = "".join(f"{dumps(record)}\n" for record in records).encode("ascii")
        size_bytes = os.fstat(self._handle).st_size
        if size_bytes and _last_byte(self._handle, size_bytes) != b"\n":
            lines = b"\n" + lines
        if os.write(self._handle, lines) < len(lines):
            os.ftruncate(self._handle, size_bytes)
            raise OSError(28, "No space left on device", self.path)

    def _content(self) -> bytes:
        os.lseek(self._handle, 0, os.SEEK_SET)
        pieces = []
        while piece := os.read(self._handle, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)


def file_of(folder: str, agent: str, session: str) -> str:
    digest = blake2b(f"{agent}\0{session}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(folder, f"{name_prefix(agent)}{digest}{ENDING}")  # noqa: PTH118 - pathlib is slow to load


def name_prefix(agent: str) -> str:
    """What the names of an agent's files begin with; those of another may, too."""
    slug = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in agent.lower()[:_LONGEST_SLUG])
    return f"{slug}-"


def record_in(line: bytes) -> dict[str, object] | None:
    """The record of a line; None where it holds none. Behind a record that was cut stands the next one, where an
    earlier version wrote it."""
    value = _value(line)
    at = line.find(_BEGINNING, 1) if value is None else -1
    while value is None and at > 0:
        value, at = _value(line[at:]), line.find(_BEGINNING, at + 1)
    return value


def _value(line: bytes) -> dict[str, object] | None:
    try:
        value = loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _last_byte(handle: int, size_bytes: int) -> bytes:
    os.lseek(handle, size_bytes - 1, os.SEEK_SET)  # `O_APPEND` writes at the end wherever this is
    return os.read(handle, 1)


def lock(handle: int) -> None:
    """Waits until no other process has the file."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)


def is_at(handle: int, path: str) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _open_locked(path: str) -> int:
    """The file, made if it is not there, and locked. One that was removed before the lock was had is opened anew."""
    while True:
        handle = os.open(path, _FLAGS | os.O_CREAT, 0o600)
        try:
            if not S_ISREG(os.fstat(handle).st_mode):
                raise OSError(22, "Not a regular file", path)
            lock(handle)
            is_current = is_at(handle, path)
        except BaseException:
            os.close(handle)
            raise
        if is_current:
            return handle
        os.close(handle)
