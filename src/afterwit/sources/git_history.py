"""Commits of a git repository, newest first: what was said, when, and which files changed to which contents.

Read through `git log`, with the same care as `git_objects` takes. Merges are left out: what they bring in stands in
commits of its own. Streaming, with a limit of time and of commits; whoever stops early ends git. Messages and paths are
foreign text.
"""

import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.sources.gathering import SourceError
from afterwit.sources.git_objects import is_inside, started

MOST_COMMITS = 100_000
_SECONDS = 300
_CHUNK = 1 << 16
_LONGEST_PIECE = 1 << 20  # bytes of a message or a path; longer ones belong to no repository that people work in
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


class CommittedChange(NamedTuple):
    path: str
    status: str  # A, M, D or T
    before: str  # the object that it was; zeros where there was none
    after: str  # the object that it became; zeros where it is gone


class Commit(NamedTuple):
    id: str
    parents: tuple[str, ...]
    at_ms: int
    message: str
    changes: tuple[CommittedChange, ...]

    @property
    def subject(self) -> str:
        return self.message.strip().partition("\n")[0]


def commits(
    git_dir: Path, tips: Sequence[str], without: Sequence[str] = (), most: int = MOST_COMMITS, seconds: float = _SECONDS
) -> Iterator[Commit]:
    """The commits that can be reached from the tips and from none of the others, newest first. Tips are object ids."""
    for name in (*tips, *without):
        if not _OBJECT.match(name):
            raise SourceError(f"{name!r} is not the id of a commit")
    layout = "--format=tformat:%H%x00%P%x00%ct%x00%B%x00"
    arguments = ["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-merges", "--no-show-signature"]
    arguments += [
        "--no-ext-diff",
        "--no-textconv",
        "--no-relative",
        "--ignore-submodules=all",
        f"--max-count={most}",
        layout,
    ]
    pieces = _pieces(git_dir, [*arguments, *tips, *(f"^{name}" for name in without), "--"], seconds)
    yield from _parsed(pieces)


def _parsed(pieces: Iterator[str]) -> Iterator[Commit]:
    head: list[str] = []
    changes: list[CommittedChange] = []
    for piece in pieces:
        start = piece.lstrip("\n")
        if start.startswith(":") and len(head) == 4:
            fields, path = start[1:].split(" "), next(pieces, "")
            if len(fields) == 5 and path and is_inside(path):
                changes.append(CommittedChange(path, fields[4][:1], fields[2], fields[3]))
        elif len(head) == 4 and _OBJECT.match(start):
            yield _commit(head, changes)
            head, changes = [start], []
        elif len(head) < 4 and (head or _OBJECT.match(start)):
            head.append(piece if head else start)
    if len(head) == 4:
        yield _commit(head, changes)


def _commit(head: Sequence[str], changes: Sequence[CommittedChange]) -> Commit:
    name, parents, at_s, message = head
    stamp = int(at_s) * 1000 if at_s.isdecimal() else 0
    return Commit(name, tuple(parents.split()), stamp, message, tuple(changes))


def _pieces(git_dir: Path, arguments: list[str], seconds: float) -> Iterator[str]:
    """What git prints, parted at NUL."""
    with started(git_dir, arguments) as git:
        assert git.stdout is not None
        limit = threading.Timer(seconds, git.kill)
        limit.start()
        rest = b""
        try:
            while chunk := os.read(git.stdout.fileno(), _CHUNK):
                *whole, rest = (rest + chunk).split(b"\0")
                yield from map(os.fsdecode, whole)
                if len(rest) > _LONGEST_PIECE:
                    raise SourceError("git log printed a line without an end")
            said = git.stderr.read(_CHUNK) if git.stderr else b""
        finally:
            is_late = not limit.is_alive()
            limit.cancel()
            git.kill()
    if is_late:
        raise SourceError(f"git log took longer than {seconds:g} seconds")
    if git.returncode > 0:
        reason = said.decode("utf-8", "replace").strip().partition("\n")[0]
        raise SourceError(f"git log failed: {reason or git.returncode}")
