"""What the checkout of a repository says, and the user's home: its remote, the instruction files that agents read, what
is being worked on in it, and its files.

A checkout is foreign: its files may point anywhere, be huge, or be no files at all. So only regular files are read, and
only their beginning, or none where a part would mislead; folders are listed up to a number, without those that tools
fill; a folder counts as a git folder only if it looks like one; a link to elsewhere is left out. Where nothing is
raised, what is odd or cannot be read is not there, and `None` means that it cannot be told.

Git compares contents through filters that a repository may name, which are programs. So it is only asked what its index
says, and files are compared with that by their sizes and times, as git itself does first. Its settings outside the
checkout (includes, `insteadOf` in the user's own configuration) are left out. Nothing is written.
"""

import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from afterwit.model.instruction_files import InstructionFiles
from afterwit.model.text import regex
from afterwit.repos.remotes import remote_in
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import Ref, answer_of, refs, root_commit
from afterwit.store.regular_files import read_regular

_POINTER_BYTES = 4_096
_CONFIG_BYTES = 262_144
_INSTRUCTIONS_BYTES = 200_000
_MOST_FILES = 60  # with instructions, of one pattern
_DEEPEST = 128
_HEAD = regex(r"refs/[\w./+@-]{1,200}|[0-9a-f]{40,64}")


def root_of_checkout(folder: Path) -> Path | None:
    """The folder of the checkout that this folder lies in, or None."""
    try:
        place = folder.absolute()
    except OSError:
        return None
    return next((above for above in (place, *place.parents)[:_DEEPEST] if _git_folder(above) is not None), None)


def remote_of(folder: Path) -> str:
    """The canonical remote of the checkout that this folder lies in, or ""."""
    git = git_folder_of(folder)
    return remote_in(_text(git / "config", _CONFIG_BYTES)) if git else ""


def root_commit_of(folder: Path) -> str:
    """The first commit of the checkout that this folder lies in, or ""."""
    git = git_folder_of(folder)
    return root_commit(git) if git else ""


def git_folder_of(folder: Path) -> Path | None:
    """The git folder of the checkout that this folder lies in, or None."""
    root = root_of_checkout(folder)
    return _git_folder(root) if root else None


def own_git_folder_of(folder: Path) -> Path | None:
    """The same, for a linked work tree its own: with the commit that is checked out there, and the index."""
    root = root_of_checkout(folder)
    own = _git_pointer(root) if root else None
    return own if own and _is_file(own / "HEAD") else None


def worktrees_beside(folder: Path) -> list[Path]:
    """The other work trees of the repository whose checkout this folder is: the main one, and those linked to it."""
    git_folder = _git_folder(folder)
    if git_folder is None:
        return []
    try:
        own, git = folder.resolve(), git_folder.resolve()
        pointers = sorted((git / "worktrees").glob("*/gitdir"))[:_MOST_FILES]
        targets = [_follow_pointer(pointer.parent, _text(pointer, _POINTER_BYTES)) for pointer in pointers]
        places = [git.parent, *(target.parent.resolve() for target in targets if target is not None)]
        return [place for place in places if place != own and _shares(place, git)]
    except (OSError, ValueError, RuntimeError):
        return []


def _shares(place: Path, git: Path) -> bool:
    there = _git_folder(place)
    return there is not None and there.resolve() == git


def head_of(root: Path) -> str:
    """What HEAD of a checkout names, also of a linked work tree: a ref or a commit; "" where it cannot be told."""
    folder = _git_pointer(root)
    name = _text(folder / "HEAD", _POINTER_BYTES).strip().removeprefix("ref:").strip() if folder else ""
    return name if _HEAD.fullmatch(name) else ""


def checkout_instructions(root: Path, files: InstructionFiles) -> dict[str, str]:
    """The instruction files of a checkout: text by path below it."""
    return dict(_texts(root, files.in_checkouts))


def home_instructions(home: Path, files: InstructionFiles) -> dict[str, str]:
    """The instruction and memory files of a user's agents: text by path below the home folder."""
    return dict(_texts(home, files.in_homes))


def project_memory(home: Path, root: Path, files: InstructionFiles) -> dict[str, str]:
    """What agents remember of a project: text by path below the home folder."""
    folder = "".join(letter if letter.isalnum() else "-" for letter in str(root))
    return dict(_texts(home, tuple(pattern.replace("{project}", folder) for pattern in files.of_projects)))


def _git_folder(checkout: Path) -> Path | None:
    """The folder with the configuration that this checkout uses: for a worktree that of the main checkout."""
    folder = _git_pointer(checkout)
    shared = _text(folder / "commondir", _POINTER_BYTES) if folder else ""
    if folder and shared:
        folder = _follow_pointer(folder, shared)
    return folder if folder and _looks_like_git(folder) else None


def _git_pointer(checkout: Path) -> Path | None:
    """The `.git` of a checkout, or where it points."""
    pointer = re.match(r"gitdir:[ \t]*(\S[^\n\r]*)", _text(checkout / ".git", _POINTER_BYTES))
    return _follow_pointer(checkout, pointer[1]) if pointer else checkout / ".git"


def _follow_pointer(start: Path, target: str) -> Path | None:
    """Where a pointer leads. Network paths are not followed: asking for one would tell a server who we are."""
    target = target.strip()
    return None if target.startswith(("//", "\\\\", "/\\", "\\/")) else start / target


def _looks_like_git(folder: Path) -> bool:
    try:
        return (folder / "objects").is_dir() and _is_file(folder / "HEAD") and _is_file(folder / "config")
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _text(path: Path, limit_bytes: int) -> str:
    """The beginning of a regular file, "" if there is none."""
    try:
        return read_regular(path, limit_bytes).decode("utf-8", "replace") if _is_file(path) else ""
    except (OSError, ValueError):
        return ""


def _texts(folder: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The files below a folder that fit the patterns and are no links to elsewhere."""
    try:
        inside = folder.resolve()
        paths = [path for pattern in patterns for path in sorted(folder.glob(pattern))[:_MOST_FILES]]
    except (OSError, ValueError):
        return
    for path in paths:
        text = _text(path, _INSTRUCTIONS_BYTES) if _is_inside(path, inside) else ""
        if text:
            yield path.relative_to(folder).as_posix(), text


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False


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


def is_merged(git_dir: Path, branch: str) -> bool:
    """Whether all of a branch stands in the default one, which went on. A branch that is not there may be elsewhere."""
    tip = next((ref.object for ref in refs(git_dir, [f"{_HEADS}{branch}"]) if ref.name == f"{_HEADS}{branch}"), "")
    end = trunk(git_dir)
    if not tip or not end or tip == end:
        return False
    return not answer_of(git_dir, ["rev-list", "--max-count=1", tip, f"^{end}", "--"]).strip()


def main_line(git_dir: Path, tip: str) -> list[MainLineCommit]:
    """The commits that a branch stood on, the oldest first."""
    answer = answer_of(git_dir, ["rev-list", "--first-parent", "--reverse", "--timestamp", tip, "--"])
    lines = (line.split() for line in answer.decode("ascii", "replace").splitlines())
    return [MainLineCommit(name, int(at_s) * 1000) for at_s, name in lines]


def files_uncommitted(root: Path, git_dir: Path, most: int) -> list[str]:
    """Files that were added, changed or deleted since the last commit, ignored ones left out; none where there are more
    than so many: that is no work of a person."""
    there = ["-C", str(root), f"--work-tree={root}"]  # else names are those below the present folder
    compared = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--no-relative"]
    staged = answer_of(git_dir, [*there, *compared, "--ignore-submodules=all", "HEAD", "--"])
    listed = answer_of(git_dir, [*there, "ls-files", "-z", "--others", "--exclude-standard"], _SECONDS)
    parts = (*staged.split(b"\0"), *listed.split(b"\0"))
    names = dict.fromkeys(os.fsdecode(name) for name in parts if name and not name.endswith(_FOLDER))
    for path in _files_changed(root, answer_of(git_dir, [*there, "ls-files", "-z", "--debug"])):
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


def _files_changed(root: Path, listed: bytes) -> Iterator[str]:
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


_MOST_FOLDERS = 2_000  # of one tree that are listed
_MOST_NAMED = 400  # files of the wanted names
_IGNORE_BYTES = 65_536

_FILLED = frozenset(
    (
        ".git", "node_modules", "bower_components", "vendor", ".venv", "venv", "__pycache__", ".tox", ".nox", ".cache",
        "site-packages", ".next", ".turbo", ".gradle", ".mypy_cache", ".ruff_cache", ".pytest_cache", "Pods",
    )
)  # fmt: skip


class NamedFiles(NamedTuple):
    """Files of a tree that have one of some names."""

    paths: tuple[str, ...]  # below the root, sorted
    is_whole: bool  # the whole tree was looked through


def has_path(root: Path, path: str) -> bool | None:
    """Whether something lies there; None where that cannot be told."""
    try:
        os.stat(f"{root}/{path}")  # noqa: PTH116 - asked of every path that an item names, so without a `Path`
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return None
    return True


def text_in(root: Path, path: str, most_bytes: int) -> str | None:
    """The text of a regular file inside the tree; None for anything else, and for one that is larger."""
    place = root / path
    try:
        if not place.resolve().is_relative_to(root.resolve()):
            return None
        content = read_regular(place, most_bytes + 1)
        return content.decode("utf-8") if len(content) <= most_bytes else None
    except (OSError, ValueError, RuntimeError):
        return None


def files_named(root: Path, names: Collection[str]) -> NamedFiles:
    """All files and folders of these names, from the top down."""
    wanted = frozenset(names)
    paths: list[str] = []
    waiting, folders = [""], 0
    while waiting:
        folder = waiting.pop(0)
        folders += 1
        if folders > _MOST_FOLDERS or len(paths) > _MOST_NAMED:
            return NamedFiles(tuple(sorted(paths)), is_whole=False)
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                for entry in entries:
                    below = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.name in wanted:
                        paths.append(below)
                    if entry.name not in _FILLED and entry.is_dir(follow_symlinks=False):
                        waiting.append(below)
        except OSError:
            return NamedFiles(tuple(sorted(paths)), is_whole=False)
    return NamedFiles(tuple(sorted(paths)), is_whole=True)


def may_be_untracked(root: Path, path: str) -> bool:
    """Whether the path lies where tools put things, or is ignored by git: then that it is not there says nothing."""
    names = path.split("/")
    if not _FILLED.isdisjoint(names):
        return True
    return any(
        _is_ignored(text_in(root, "/".join((*above, ".gitignore")), _IGNORE_BYTES), "/".join(names[len(above) :]))
        for above in (names[:depth] for depth in range(len(names)))
    )


def _is_ignored(text: str | None, path: str) -> bool:
    """Whether a line of the file means the path. What lines with `!` take back stays in doubt."""
    from afterwit.actions.quick_look import fits_path

    patterns = (line.strip() for line in (text or "").splitlines())
    return any(fits_path(pattern, path) for pattern in patterns if pattern and not pattern.startswith(("#", "!")))


def has_work_tree(root: Path) -> bool:
    """Whether there are files at all: not in a folder where nothing is mounted, nor where git keeps only the repository
    itself, beside a set of linked work trees."""
    try:
        with os.scandir(root) as entries:
            return any(entries) and "bare=true" not in _git_settings(root)
    except OSError:
        return False


def is_sparse(root: Path) -> bool:
    """Whether git puts only some of the files there."""
    return "sparsecheckout=true" in _git_settings(root)


def _git_settings(root: Path) -> set[str]:
    texts = (text_in(root, f".git/{name}", _CONFIG_BYTES) or "" for name in ("config", "config.worktree"))
    return {"".join(line.split()).lower() for text in texts for line in text.splitlines()}
