"""What commits changed, line by line, and the files of their trees, as git prints it; nothing is written.

The repository may be anyone's: neither external diffs nor text conversions are run, renames are not followed, and every
answer has a limit of bytes and of time. Files are told apart by the ids of their contents, because a name may hold
anything. What is binary, or too large to be compared, has no lines. The care that `git_objects` takes holds here too.
"""

import os
import re
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.sources.gathering import SourceError
from afterwit.sources.git_history import CommittedChange
from afterwit.sources.git_objects import contents, started

_SECONDS = 60
_MOST_DIFF_BYTES = 4 << 20
_MOST_TREE_BYTES = 64 << 20
_MOST_TEXT_BYTES = 1 << 20
_LINK = "120000"
_MOST_LINE = 2_000  # characters of a line that are kept
_CHUNK = 1 << 16
_QUIET = ("-c", "core.bigFileThreshold=2m", "-c", "core.quotePath=true")
_INDEX = re.compile(r"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
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
    text = bounded_answer(git_dir, arguments, _MOST_DIFF_BYTES, is_cut=True).decode("utf-8", "replace")
    return [
        FileDiff(path, hunks)
        for ids, hunks in _sections(text.split("\n"))
        for path in dict.fromkeys(paths.get(ids, ()))
    ]


def tree_of(git_dir: Path, commit: str) -> list[TreeEntry]:
    """All files of the tree of a commit. Names are as git has them: whoever writes them anywhere has to look."""
    _refuse_odd((commit,))
    answer = bounded_answer(git_dir, ["ls-tree", "-r", "-l", "-z", "--full-tree", commit], _MOST_TREE_BYTES)
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


def bounded_answer(git_dir: Path, arguments: list[str], most_bytes: int, *, is_cut: bool = False) -> bytes:
    """What git prints. More than so many bytes are an error, or cut off; so is what takes too long an error."""
    verb = next(word for word in arguments if word.isascii() and word.replace("-", "").isalpha() and word[0] != "-")
    with started(git_dir, arguments) as git:
        assert git.stdout is not None
        limit = threading.Timer(_SECONDS, git.kill)
        limit.start()
        try:
            answer = b"".join(_chunks(git, most_bytes))
            is_whole = len(answer) < most_bytes
            said = git.stderr.read(_CHUNK) if git.stderr and is_whole else b""
        finally:
            is_late = not limit.is_alive()
            limit.cancel()
            git.kill()
    if is_late:
        raise SourceError(f"git {verb} took longer than {_SECONDS} seconds")
    if not is_whole and not is_cut:
        raise SourceError(f"git {verb} printed more than {most_bytes:,} bytes")
    if is_whole and git.returncode > 0:
        reason = said.decode("utf-8", "replace").strip().partition("\n")[0]
        raise SourceError(f"git {verb} failed: {reason or git.returncode}")
    return answer


def _chunks(git: "subprocess.Popen[bytes]", most_bytes: int) -> Iterator[bytes]:
    assert git.stdout is not None
    left = most_bytes
    while left > 0 and (chunk := os.read(git.stdout.fileno(), min(_CHUNK, left))):
        left -= len(chunk)
        yield chunk


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
