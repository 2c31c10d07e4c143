"""Asks `git` itself about a repository (refs, trees, blobs, commits, what they changed line by line), and never writes.

The repository may be anyone's: its hooks, external diffs and text conversions are not run, replaced objects and renames
are not followed, nothing is fetched, no lock is taken, and no configuration but its own is read. Every call has a time
limit and a limit of bytes. What goes wrong is a `SourceError`, which belongs to the data. Messages, names and paths are
foreign text; files of a diff are told apart by the ids of their contents, because a name may hold anything. What is
binary, or too large to be compared, has no lines. Merges are left out: what they bring in stands in commits of its own.
"""

import os
import re
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from afterwit.model.text import regex
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
    for entry in _entries_of(git_dir, tree):
        if entry.size_bytes is not None and is_inside(entry.path):
            yield Blob(entry.path, entry.object, entry.size_bytes)


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
            if is_small:
                yield from contents(git_dir, some)
                continue
            for name in some:
                yield answer_within(git_dir, ["cat-file", "blob", name], most_bytes, is_cut=True)


def root_commit(git_dir: Path) -> str:
    """The first commit of the line that HEAD stands on; "" where there is none, or it takes too long to find out."""
    try:
        answer = answer_of(git_dir, ["rev-list", "--first-parent", "--max-parents=0", "HEAD"], seconds=_SECONDS_OF_ROOT)
    except SourceError:
        return ""
    return answer.decode("ascii", "replace").partition("\n")[0]


def answer_of(git_dir: Path, arguments: list[str], seconds: float = _SECONDS, stdin: bytes = b"") -> bytes:
    """What git answers about this repository; what it is asked must not write."""
    with start_git(git_dir, arguments) as git:
        try:
            answer, said = git.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            git.kill()
            raise SourceError(f"git {arguments[0]} took longer than {seconds} seconds") from None
    if git.returncode:
        raise SourceError(f"git {arguments[0]} failed: {_reason(said) or git.returncode}")
    return answer


def start_git(git_dir: Path, arguments: list[str]) -> "subprocess.Popen[bytes]":
    """Git, asked something about this repository; what it is asked must not write."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            ["git", f"--git-dir={git_dir}", *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=kept | QUIET_GIT
        )
    except OSError as error:
        raise SourceError(f"cannot run git, which reading a repository needs: {error.strerror or error}") from error


MOST_COMMITS = 100_000
_LOG_SECONDS = 300
_CHUNK = 1 << 16
_LONGEST_PIECE = 1 << 20  # bytes of a message or a path; longer ones belong to no repository that people work in
_OBJECT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


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
    git_dir: Path,
    tips: Sequence[str],
    without: Sequence[str] = (),
    most: int = MOST_COMMITS,
    seconds: float = _LOG_SECONDS,
) -> Iterator[Commit]:
    """The commits that can be reached from the tips and from none of the others, newest first. Tips are object ids."""
    _refuse_odd((*tips, *without))
    layout = "--format=tformat:%H%x00%P%x00%ct%x00%B%x00"
    arguments = ["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-merges", "--no-show-signature"]
    arguments += ["--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all", f"--max-count={most}"]
    arguments.append(layout)
    pieces = _pieces(git_dir, [*arguments, *tips, *(f"^{name}" for name in without), "--"], seconds)
    yield from _parse_log(pieces)


def _parse_log(pieces: Iterator[str]) -> Iterator[Commit]:
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
    rest = b""
    for chunk in _chunks(git_dir, arguments, seconds):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from map(os.fsdecode, whole)
        if len(rest) > _LONGEST_PIECE:
            raise SourceError("git log printed a line without an end")


def _chunks(git_dir: Path, arguments: list[str], seconds: float, most_bytes: int = sys.maxsize) -> Iterator[bytes]:
    """What git prints, as it comes, up to so many bytes. What fails or takes too long is an error."""
    verb = next(word for word in arguments if word.isascii() and word.replace("-", "").isalpha() and word[0] != "-")
    with start_git(git_dir, arguments) as git:
        assert git.stdout is not None
        limit = threading.Timer(seconds, git.kill)
        limit.start()
        left = most_bytes
        try:
            while left > 0 and (chunk := os.read(git.stdout.fileno(), min(_CHUNK, left))):
                left -= len(chunk)
                yield chunk
            said = git.stderr.read(_CHUNK) if git.stderr and left > 0 else b""
        finally:
            is_late = not limit.is_alive()
            limit.cancel()
            git.kill()
    if is_late:
        raise SourceError(f"git {verb} took longer than {seconds:g} seconds")
    if left > 0 and git.returncode > 0:
        raise SourceError(f"git {verb} failed: {_reason(said) or git.returncode}")


def _reason(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip().partition("\n")[0]


_DIFF_SECONDS = 60
_MOST_DIFF_BYTES = 4 << 20
_MOST_TREE_BYTES = 256 << 20
_MOST_TEXT_BYTES = 1 << 20
_LINK = "120000"
_MOST_LINE = 2_000  # characters of a line that are kept

_QUIET = ("-c", "core.bigFileThreshold=2m", "-c", "core.quotePath=true")
_INDEX = regex(r"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})")
_HUNK = regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

_FIELDS = 4


class Hunk(NamedTuple):
    """Lines that gave way to others, without any around them. Lines are counted from 1."""

    before_first: int
    before: tuple[str, ...]
    after_first: int
    after: tuple[str, ...]


class FileDiff(NamedTuple):
    path: str
    hunks: tuple[Hunk, ...]


class TreeEntry(NamedTuple):
    """Something in the tree of a commit."""

    path: str
    mode: str  # 100644, 100755, 120000 (a symbolic link) or 160000 (a submodule)
    object: str
    size_bytes: int | None  # None: it is not there


def diff_of(git_dir: Path, before: str, after: str, changes: Iterable[CommittedChange]) -> list[FileDiff]:
    """How these files changed from one commit to another, in the order in which git names them."""
    paths: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for change in changes:
        paths[change.before, change.after].append(change.path)
    _refuse_odd((before, after))
    arguments = [*_QUIET, "diff-tree", "-r", "-p", "-U0", "--full-index", "--no-ext-diff", "--no-textconv"]
    arguments += ["--no-renames", "--no-color", "--ignore-submodules=all", before, after, "--"]
    text = answer_within(git_dir, arguments, _MOST_DIFF_BYTES, is_cut=True).decode("utf-8", "replace")
    return [
        FileDiff(path, hunks)
        for ids, hunks in _sections(text.split("\n"))
        for path in dict.fromkeys(paths.get(ids, ()))
    ]


def tree_of(git_dir: Path, commit: str) -> list[TreeEntry]:
    """All files of the tree of a commit. Names are as git has them: whoever writes them anywhere has to look."""
    _refuse_odd((commit,))
    return _entries_of(git_dir, commit)


def _entries_of(git_dir: Path, tree: str) -> list[TreeEntry]:
    answer = answer_within(git_dir, ["ls-tree", "-r", "-l", "-z", "--full-tree", tree], _MOST_TREE_BYTES)
    entries = []
    for entry in answer.split(b"\0"):
        about, _, path = entry.partition(b"\t")
        fields = about.split()
        if len(fields) == _FIELDS:
            size = int(fields[3]) if fields[3].isdigit() else None
            entries.append(TreeEntry(os.fsdecode(path), fields[0].decode(), fields[2].decode(), size))
    return entries


def text_reader(git_dir: Path, entries: Mapping[str, TreeEntry]) -> Callable[[str], str]:
    """What gives the text of a file of a tree; "" for one that is not there, too large, or a link."""

    def read(path: str) -> str:
        entry = entries.get(path)
        if entry is None or entry.size_bytes is None or entry.size_bytes > _MOST_TEXT_BYTES or entry.mode == _LINK:
            return ""
        return contents(git_dir, [entry.object])[0].decode("utf-8", "replace")

    return read


def answer_within(git_dir: Path, arguments: list[str], most_bytes: int, *, is_cut: bool = False) -> bytes:
    """What git prints. More than so many bytes are an error, or cut off; so is what takes too long an error."""
    answer = b"".join(_chunks(git_dir, arguments, _DIFF_SECONDS, most_bytes))
    if len(answer) >= most_bytes and not is_cut:
        raise SourceError(f"git {arguments[0]} printed more than {most_bytes:,} bytes")
    return answer


def _sections(lines: Sequence[str]) -> Iterator[tuple[tuple[str, str], tuple[Hunk, ...]]]:
    """The hunks of each file, by the ids of what it was and what it became. A line of a file never begins like one
    that git puts between files."""
    ids: tuple[str, str] | None = None
    hunks: list[Hunk] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("diff --git "):
            if ids is not None:
                yield ids, tuple(hunks)
            ids, hunks = None, []
        elif ids is None and (index := _INDEX.match(line)):
            ids = index[1], index[2]
        elif ids is not None and (head := _HUNK.match(line)):
            hunk, at = _hunk(head, lines, at)
            hunks.append(hunk)
    if ids is not None:
        yield ids, tuple(hunks)


def _hunk(head: re.Match[str], lines: Sequence[str], at: int) -> tuple[Hunk, int]:
    """The hunk whose head was read, and where the next line stands."""
    removed, added = int(head[2] or 1), int(head[4] or 1)
    before: list[str] = []
    after: list[str] = []
    while at < len(lines) and lines[at][:1] in ("-", "+", "\\"):
        line = lines[at]
        if line.startswith("-") and len(before) < removed:
            before.append(line[1:][:_MOST_LINE])
        elif line.startswith("+") and len(after) < added:
            after.append(line[1:][:_MOST_LINE])
        at += 1
    return Hunk(int(head[1]), tuple(before), int(head[3]), tuple(after)), at


def _refuse_odd(names: Iterable[str]) -> None:
    for name in names:
        if not _OBJECT.match(name):
            raise SourceError(f"{name!r} is not the id of a commit")
