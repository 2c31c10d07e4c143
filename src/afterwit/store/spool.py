"""The spool: where hooks leave what they saw and showed, one append-only file per agent session.

Hooks never touch the database. `drain` hands the lines that are new to the next `learn`, which acknowledges them when
they are stored; a small file beside each says how far. Files stay, because hooks look up in them what a session was
shown, until the session has been silent for long: `prune`. A record has a key, so that one that comes a second time,
because a run died before it could acknowledge, is known.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.model.quick_json import dumps
from afterwit.store.atomic import replace_file
from afterwit.store.regular_files import open_regular, read_regular
from afterwit.store.spool_file import ENDING, SpoolFile, file_of, is_at, lock, name_prefix, record_in

_TAKEN = ".taken"
_KEY_BYTES = 12
_ENDED = "ended"  # the kind of a session's last record
_SHOWN = ("text", "would")  # in a record: words that a session was shown, or would have been


class Spooled(NamedTuple):
    """One record, with what tells it from all others."""

    key: bytes
    body: dict[str, Any]


class Batch(NamedTuple):
    """The new records of one spool file, and how many of its lines were unreadable."""

    path: Path
    records: tuple[Spooled, ...]
    bad_lines: int
    end: int  # the offset up to which this goes


def append(folder: Path, agent: str, session: str, record: dict[str, Any]) -> None:
    """Adds one record, whole or not at all. Lines of one session keep their order; concurrent writers never mix."""
    with SpoolFile(str(folder), agent, session) as file:
        file.append(record)


def drain(folder: Path) -> Iterator[Batch]:
    """All batches waiting. Pass each to `acknowledge` once its records are stored; until then they come again."""
    for path in _files(folder):
        start = _drain_offset(path)
        if path.stat().st_size > start:
            yield _batch(path, start)


def acknowledge(batch: Batch) -> None:
    """Remembers how far the file was taken in."""
    replace_file(batch.path.with_suffix(_TAKEN), b"%d" % batch.end, is_durable=False)


def prune(folder: Path, before_s: float) -> int:
    """Removes files that were taken in whole and not written to since. Returns how many."""
    return sum(_prune(path, before_s) for path in _files(folder))


def backlog(folder: Path) -> tuple[int, int]:
    """(files, bytes) waiting."""
    waiting = [size for path in _files(folder) if (size := path.stat().st_size - _drain_offset(path)) > 0]
    return len(waiting), sum(waiting)


def scrub(folder: Path, is_gone: Callable[[str, str], bool]) -> None:
    """Removes the files of sessions that were erased (asked by agent and session), and in the others the words that
    were shown, which may have come from those. What hooks look up stays, at its place."""
    for path in _files(folder):
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            lock(handle)
            if is_at(handle, str(path)):
                _scrub(path, handle, is_gone)
        finally:
            os.close(handle)


def under_way(folder: Path, agent: str, since_s: float) -> dict[str, frozenset[str]]:
    """The sessions of an agent that said something since then, and not that they ended, with their repositories."""
    repos_by_session: dict[str, frozenset[str]] = {}
    for path in _files(folder, name_prefix(agent)):
        bodies = _records_since(path, since_s)
        last = bodies[-1] if bodies else {}
        if last.get("agent") == agent and last.get("session") and last.get("kind") != _ENDED:
            repos_by_session[str(last["session"])] = frozenset(str(body["repo"]) for body in bodies if "repo" in body)
    return repos_by_session


def records_of(folder: Path, agent: str, session: str) -> tuple[Spooled, ...]:
    """All that hooks noted of one session, taken in or not, as far as its file is still there."""
    path = Path(file_of(str(folder), agent, session))
    try:
        return _batch(path, 0).records if path.is_file() and not path.is_symlink() else ()
    except FileNotFoundError:
        return ()


def _scrub(path: Path, handle: int, is_gone: Callable[[str, str], bool]) -> None:
    lines = _content(path, 0).split(b"\n")
    bodies = [record_in(line) or {} for line in lines]
    if any(is_gone(str(body.get("agent")), str(body.get("session"))) for body in bodies):
        path.with_suffix(_TAKEN).unlink(missing_ok=True)
        path.unlink()
        return
    kept = b"\n".join(_wordless(line, body) for line, body in zip(lines, bodies, strict=True))
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, kept)
    os.fsync(handle)


def _wordless(line: bytes, body: dict[str, Any]) -> bytes:
    """A line of the same length without the words that were shown. One that cannot be read becomes blank."""
    if line and not body:
        return b" " * len(line)
    if not any(name in body for name in _SHOWN):
        return line
    kept = dumps({name: value for name, value in body.items() if name not in _SHOWN}).encode("ascii")
    return kept.ljust(len(line))


def _files(folder: Path, start: str = "") -> list[Path]:
    return [path for path in sorted(folder.glob(f"{start}*{ENDING}")) if path.is_file() and not path.is_symlink()]


def _records_since(path: Path, since_s: float) -> list[dict[str, Any]]:
    """All that a session said, if it said anything since; nothing where a `learn` has removed the file meanwhile."""
    try:
        return [record.body for record in _batch(path, 0).records] if path.stat().st_mtime >= since_s else []
    except FileNotFoundError:
        return []


def _drain_offset(path: Path) -> int:
    """How far a file was taken in. A mark that cannot be read, or is beyond the file's end, is none."""
    mark = path.with_suffix(_TAKEN)
    try:
        offset = int(read_regular(mark)) if not mark.is_symlink() else 0
    except (OSError, ValueError):
        return 0
    return offset if 0 <= offset <= path.stat().st_size else 0


def _batch(path: Path, start: int) -> Batch:
    """What lies behind `start`. A last line without an end is one too, if no hook is about to write the rest of it."""
    content = _content(path, start)
    if content and not content.endswith(b"\n"):
        content = _content_at_rest(path, start)
    records, bad, at = [], 0, start
    for line in content.split(b"\n"):
        body = record_in(line)
        if body is not None:
            records.append(Spooled(_key(path.name, at, line), body))
        elif line:
            bad += 1
        at += len(line) + 1
    return Batch(path, tuple(records), bad, start + len(content))


def _content(path: Path, start: int) -> bytes:
    with open_regular(path) as file:
        file.seek(start)
        return file.read()


def _content_at_rest(path: Path, start: int) -> bytes:
    """The same, while no hook writes: what is half there then was left by one that was killed."""
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        lock(handle)
        return _content(path, start)
    finally:
        os.close(handle)


def _key(name: str, offset: int, line: bytes) -> bytes:
    return hashlib.blake2b(b"%s\0%d\0%s" % (name.encode(), offset, line), digest_size=_KEY_BYTES).digest()


def _prune(path: Path, before_s: float) -> bool:
    """Under the lock that hooks take: whoever waits for it finds the file gone and starts a new one."""
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        lock(handle)
        about = os.fstat(handle)
        if about.st_mtime >= before_s or about.st_size > _drain_offset(path) or not is_at(handle, str(path)):
            return False
        path.with_suffix(_TAKEN).unlink(missing_ok=True)
        path.unlink()
    except PermissionError:  # Windows removes no file that someone has open
        return False
    finally:
        os.close(handle)
    return True
