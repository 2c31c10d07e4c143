"""What git's own blame says of a file: which commit brought each line, and what the file was called there.

White space alone makes no line another one, and a file that was renamed is followed. Git is asked about a commit, never
about the files of a work tree: those it would read through filters, which are programs. Whoever shows a work tree
compares its text with that of the commit.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from afterwit.sources.git import answer_within

_MOST_BYTES = 64 << 20


class BlameCommit(NamedTuple):
    """A commit, as far as blame tells of it."""

    id: str
    at_ms: int  # when it came into the history
    subject: str


class BlamedLine(NamedTuple):
    text: str
    commit: BlameCommit
    path: str  # of the file in that commit


def blame(git_dir: Path, commit: str, path: str) -> list[BlamedLine]:
    """The lines of a file as they are in a commit, each with the commit that brought it. A file that is not there is a
    `SourceError`."""
    arguments = ["--literal-pathspecs", "blame", "--no-textconv", "--porcelain", "-w", commit, "--", path]
    answer = answer_within(git_dir, arguments, _MOST_BYTES)
    return list(_parse(answer.decode("utf-8", "replace").split("\n")))


def _parse(lines: list[str]) -> Iterator[BlamedLine]:
    """What git says of a commit stands with its first line alone; the name of the file with the first of each group."""
    commits: dict[str, BlameCommit] = {}
    paths: dict[str, str] = {}
    name, stamps, subject = "", [0], ""
    for line in lines:
        key, _, value = line.partition(" ")
        if line.startswith("\t"):
            commit = commits.setdefault(name, BlameCommit(name, max(stamps) * 1000, subject))
            yield BlamedLine(line[1:], commit, paths.get(name, ""))
        elif len(key) in (40, 64) and key.isalnum():
            name, stamps, subject = key, [0], ""
        elif key in ("author-time", "committer-time"):
            stamps.append(int(value))
        elif key == "summary":
            subject = value
        elif key == "filename":
            paths[name] = value
