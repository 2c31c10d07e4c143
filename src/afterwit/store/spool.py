"""The spool: where hooks leave what they saw, one append-only file per agent session.

Hooks never touch the database. They append one JSON line with a single write; `drain` hands the lines to the next
`learn`, which acknowledges them when they are stored. A file being drained is renamed first, under the lock that
writers take too: a hook that was about to write finds out and starts a new file, so that no line goes into one that is
about to be removed. Standard library only.
"""

import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

_ENDING = ".jsonl"
_TAKEN = ".taken"


class Batch(NamedTuple):
    """The records of one spool file, and how many of its lines were unreadable."""

    path: Path
    records: tuple[dict[str, Any], ...]
    bad_lines: int


def append(folder: Path, session: str, record: dict[str, Any]) -> None:
    """Adds one record, whole or not at all. Lines of one session keep their order; concurrent writers never mix."""
    line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
    path = file_of(folder, session)
    while True:
        with _locked(path, os.O_CREAT | os.O_APPEND) as handle:
            if _is_at(handle, path):
                _write(handle, line)
                return


def read(folder: Path, session: str) -> list[dict[str, Any]]:
    """What this session has been shown and has done so far, drained or not."""
    path = file_of(folder, session)
    taken = path.with_suffix(_TAKEN)
    return [record for file in (taken, path) if _is_plain(file) for record in _parse(file).records]


def drain(folder: Path) -> Iterator[Batch]:
    """All batches waiting. Pass each to `acknowledge` once its records are stored; until then they come again."""
    for path in sorted(folder.glob(f"*{_TAKEN}")):
        if _is_plain(path):
            yield _parse(path)
    for path in sorted(folder.glob(f"*{_ENDING}")):
        taken = path.with_suffix(_TAKEN)
        if _is_plain(path) and not taken.exists() and _rename(path, taken):
            yield _parse(taken)


def acknowledge(batch: Batch) -> None:
    batch.path.unlink(missing_ok=True)


def backlog(folder: Path) -> tuple[int, int]:
    """(files, bytes) waiting."""
    sizes = [path.stat().st_size for path in folder.glob("*") if path.suffix in (_ENDING, _TAKEN)]
    return len(sizes), sum(sizes)


def file_of(folder: Path, session: str) -> Path:
    """The session's file: named by a hash, because session ids come from outside."""
    return folder / f"{hashlib.sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}{_ENDING}"


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


@contextmanager
def _locked(path: Path, flags: int = 0) -> Iterator[int]:
    """The file, open for writing, for one process at a time. A link is refused."""
    flags |= os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o600)
    try:
        _lock(handle)
        yield handle
    finally:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _write(handle: int, line: bytes) -> None:
    size_bytes = os.fstat(handle).st_size
    if os.write(handle, line) < len(line):
        os.ftruncate(handle, size_bytes)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _rename(path: Path, target: Path) -> bool:
    """False where a hook has the file open and the system refuses: it is taken another time."""
    try:
        with _locked(path):
            path.rename(target)
    except PermissionError:
        return False
    return True


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        """Windows does not rename a file that someone has open, which is all that the lock is for."""
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


def _parse(path: Path) -> Batch:
    records, bad = [], 0
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            bad += 1
            continue
        if isinstance(record, dict):
            records.append(record)
        else:
            bad += 1
    return Batch(path, tuple(records), bad)
