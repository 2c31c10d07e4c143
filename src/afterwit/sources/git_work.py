"""What is being worked on in a checkout: its branches, the commit that is checked out, and what is not committed yet.

Git compares contents through filters that a repository may name, which are programs. So it is only asked what its index
says, and files are compared with that by their sizes and times, as git itself does first. Nothing is written. The git
folder of a linked work tree is its own, which git puts beside those of the others.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from afterwit.sources.checkout import own_git_folder_of, root_of_checkout
from afterwit.sources.gathering import SourceError
from afterwit.sources.git_objects import Ref, answer_of, refs
from afterwit.store.regular_files import read_regular

TRUNKS = ("main", "master", "develop", "dev", "trunk")
_HEADS = "refs/heads/"
_SECONDS = 20
_TELLING_FILES = ("HEAD", "logs/HEAD", "packed-refs", "index", "shallow")
_LINES_OF_FACTS = 5  # that git prints after a name
_LEFT_ALONE = 0x40000000 | 0x8000  # flags of what is not checked out, or not to be looked at
_FOLDER = b"/"  # ends the name of another repository


class MainLineCommit(NamedTuple):
    id: str
    at_ms: int


def work_mark(git_dir: Path) -> str:
    """Changes with every commit, checkout and `git add`. Costs a few `stat`, and starts nothing."""
    facts = []
    for name in _TELLING_FILES:
        try:
            about = (git_dir / name).stat()
            facts.append((name, about.st_size, about.st_mtime_ns))
        except OSError:
            facts.append((name, 0, 0))
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


def head_commit(git_dir: Path) -> str:
    """The commit that is checked out; "" in a repository without any."""
    try:
        return answer_of(git_dir, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).decode().strip()
    except SourceError:
        return ""


def current_branch(git_dir: Path) -> str:
    """The branch that is checked out; "" where none is."""
    try:
        text = read_regular(git_dir / "HEAD", 1_024).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    return text.partition(_HEADS)[2] if text.startswith(f"ref: {_HEADS}") else ""


def branches(git_dir: Path) -> list[Ref]:
    """The local branches by their short names, the newest first."""
    heads = [ref._replace(name=ref.name.removeprefix(_HEADS)) for ref in refs(git_dir, [_HEADS])]
    return sorted(heads, key=lambda ref: (-ref.at_ms, ref.name))


def trunk(git_dir: Path) -> str:
    """The commit at the end of the default branch, by the usual names: the newest, the remote's before one's own; else
    what is checked out."""
    names = [f"refs/remotes/origin/{name}" for name in TRUNKS] + [f"{_HEADS}{name}" for name in TRUNKS]
    ends = {ref.name: ref for ref in refs(git_dir, names)}
    of_trunk = [ref for name in names if (ref := ends.get(name))]
    return max(of_trunk, key=lambda ref: ref.at_ms).object if of_trunk else head_commit(git_dir)


def main_line(git_dir: Path, tip: str) -> list[MainLineCommit]:
    """The commits that a branch stood on, the oldest first."""
    answer = answer_of(git_dir, ["rev-list", "--first-parent", "--reverse", "--timestamp", tip, "--"])
    lines = (line.split() for line in answer.decode("ascii", "replace").splitlines())
    return [MainLineCommit(name, int(at_s) * 1000) for at_s, name in lines]


def uncommitted(root: Path, git_dir: Path, most: int) -> list[str]:
    """Files that were added, changed or deleted since the last commit, ignored ones left out; none where there are more
    than so many: that is no work of a person."""
    there = ["-C", str(root), f"--work-tree={root}"]  # else names are those below the present folder
    compared = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--no-relative"]
    staged = answer_of(git_dir, [*there, *compared, "--ignore-submodules=all", "HEAD", "--"])
    listed = answer_of(git_dir, [*there, "ls-files", "-z", "--others", "--exclude-standard"], _SECONDS)
    parts = (*staged.split(b"\0"), *listed.split(b"\0"))
    names = dict.fromkeys(os.fsdecode(name) for name in parts if name and not name.endswith(_FOLDER))
    for path in _changed(root, answer_of(git_dir, [*there, "ls-files", "-z", "--debug"])):
        names[path] = None
        if len(names) > most:
            break
    return list(names) if len(names) <= most else []


def is_tracked(place: Path) -> bool:
    """Whether a file, or one of a folder, is part of the checkout that it lies in: whoever clones that has it, and
    nobody wrote it here. What git's own folder holds came by commits, whose names anybody can write. Where git cannot
    tell, it is."""
    if place.is_dir() and place.name.endswith(".git"):
        return True
    for file in dict.fromkeys((place, place.resolve())):
        folder = file if file.is_dir() else file.parent
        root, git_dir = root_of_checkout(folder), own_git_folder_of(folder)
        if root is None or git_dir is None:
            continue
        there = ["-C", str(root), f"--work-tree={root}", "--literal-pathspecs"]
        try:
            if answer_of(git_dir, [*there, "ls-files", "-z", "--", str(file.relative_to(root))], _SECONDS):
                return True
        except (SourceError, ValueError):
            return True
    return False


def _changed(root: Path, listed: bytes) -> Iterator[str]:
    """Files whose size or time is another than the index has. Its entries are `name NUL facts`. A folder among them is
    another repository."""
    parts = listed.split(b"\0")
    name = parts[0]
    for part in parts[1:]:
        facts, rest = _facts(part)
        if facts is not None and name and _differs(root / os.fsdecode(name), *facts):
            yield os.fsdecode(name)
        name = rest


def _facts(part: bytes) -> tuple[tuple[bytes, int] | None, bytes]:
    """(time, size) of an entry that is to be compared, and the name of the next one."""
    lines = part.split(b"\n", _LINES_OF_FACTS)
    if len(lines) <= _LINES_OF_FACTS:
        return None, b""
    _, size, _, flags = lines[4].split()
    is_compared = not int(flags, 16) & _LEFT_ALONE
    return (lines[1].split()[-1], int(size)) if is_compared else None, lines[_LINES_OF_FACTS]


def _differs(path: Path, time: bytes, size: int) -> bool:
    try:
        about = path.lstat()
    except OSError:
        return True
    if stat.S_ISDIR(about.st_mode):
        return False
    seconds, fraction = divmod(about.st_mtime_ns, 10**9)
    is_exact = not time.endswith(b":0")  # not every program that writes an index notes fractions
    return about.st_size != size or b"%d:%d" % (seconds, fraction if is_exact else 0) != time
