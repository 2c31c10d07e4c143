"""Reads refs, trees and blobs of a git repository through `git` itself, and never writes.

The repository may be anyone's: its hooks are not run, replaced objects are not followed, nothing is fetched, no lock is
taken, and no configuration but its own is read. Every call has a time limit and a limit of bytes. What goes wrong is a
`SourceError`, which belongs to the data.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from afterwit.redaction.quiet_git import QUIET_GIT
from afterwit.sources.gathering import SourceError

_SECONDS = 120
_SECONDS_OF_ROOT = 2
_TOGETHER = 64
_KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMPDIR")


class Ref(NamedTuple):
    name: str
    object: str
    at_ms: int  # of the commit


class Blob(NamedTuple):
    path: str
    object: str
    size_bytes: int


def refs(git_dir: Path, patterns: Sequence[str]) -> list[Ref]:
    """The refs that fit one of the patterns, by name."""
    layout = "--format=%(objectname) %(committerdate:unix) %(refname)"
    lines = answer_of(git_dir, ["for-each-ref", layout, *patterns]).decode("utf-8", "replace").splitlines()
    fields = [line.split(" ", 2) for line in lines]
    return [Ref(name, object_, int(stamp or 0) * 1000) for object_, stamp, name in fields]


def blobs(git_dir: Path, tree: str) -> Iterator[Blob]:
    """All files of a tree."""
    for entry in answer_of(git_dir, ["ls-tree", "-r", "-l", "-z", "--full-tree", tree]).split(b"\0"):
        about, _, path = entry.partition(b"\t")
        fields = about.split()
        if len(fields) == 4 and fields[1] == b"blob" and fields[3].isdigit() and is_inside(os.fsdecode(path)):
            yield Blob(os.fsdecode(path), fields[2].decode(), int(fields[3]))


def is_inside(path: str) -> bool:
    """Whether a path of a tree lies in its checkout. Git writes no other ones, but reads them."""
    return not path.startswith("/") and ".." not in path.split("/")


def contents(git_dir: Path, objects: Sequence[str]) -> list[bytes]:
    """The contents of some blobs, in order."""
    if not objects:
        return []
    answer = answer_of(git_dir, ["cat-file", "--batch"], stdin="".join(f"{name}\n" for name in objects).encode())
    bodies: list[bytes] = []
    at = 0
    for name in objects:
        end = answer.index(b"\n", at)
        header = answer[at:end].split()
        if len(header) != 3 or header[1] != b"blob":
            raise SourceError(f"object {name} is missing from the repository")
        size = int(header[2])
        bodies.append(answer[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return bodies


def beginnings(git_dir: Path, wanted: Sequence[Blob], most_bytes: int) -> Iterator[bytes]:
    """The first bytes of some blobs, in order. Small ones are asked for together; the rest of a large one costs
    nothing."""
    for is_small, group in groupby(wanted, key=lambda blob: blob.size_bytes <= most_bytes):
        names = [blob.object for blob in group]
        for start in range(0, len(names), _TOGETHER):
            some = names[start : start + _TOGETHER]
            yield from contents(git_dir, some) if is_small else (_beginning(git_dir, name, most_bytes) for name in some)


def root_commit(git_dir: Path) -> str:
    """The first commit of the line that HEAD stands on; "" where there is none, or it takes too long to find out."""
    try:
        answer = answer_of(git_dir, ["rev-list", "--first-parent", "--max-parents=0", "HEAD"], seconds=_SECONDS_OF_ROOT)
    except SourceError:
        return ""
    return answer.decode("ascii", "replace").partition("\n")[0]


def _beginning(git_dir: Path, name: str, most_bytes: int) -> bytes:
    with started(git_dir, ["cat-file", "blob", name]) as git:
        assert git.stdout is not None
        head = git.stdout.read(most_bytes)
        git.kill()
    return head


def answer_of(git_dir: Path, arguments: list[str], seconds: float = _SECONDS, stdin: bytes = b"") -> bytes:
    """What git answers about this repository; what it is asked must not write."""
    with started(git_dir, arguments) as git:
        try:
            answer, said = git.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            git.kill()
            raise SourceError(f"git {arguments[0]} took longer than {seconds} seconds") from None
    if git.returncode:
        reason = said.decode("utf-8", "replace").strip().partition("\n")[0]
        raise SourceError(f"git {arguments[0]} failed: {reason or git.returncode}")
    return answer


def started(git_dir: Path, arguments: list[str]) -> "subprocess.Popen[bytes]":
    """Git, asked something about this repository; what it is asked must not write."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            ["git", f"--git-dir={git_dir}", *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=kept | QUIET_GIT
        )
    except OSError as error:
        raise SourceError(f"cannot run git, which reading a repository needs: {error.strerror or error}") from error
