"""What the checkout of a repository says, and the user's home: its remote, and the instruction files that agents read.

A checkout is foreign: its files may point anywhere, be huge, or be no files at all. So only regular files are read, and
only their beginning; a folder counts as a git folder only if it looks like one; an instruction file that is a link to
elsewhere is left out. Nothing is raised: what is odd or cannot be read is not there. Git itself is run for one question
alone, which commit came first, and its settings outside the checkout (includes, `insteadOf` in the user's own
configuration) are left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from afterwit.model.instruction_files import InstructionFiles
from afterwit.repos.remotes import remote_in
from afterwit.sources.git_objects import root_commit
from afterwit.store.regular_files import read_regular

_POINTER_BYTES = 4_096
_CONFIG_BYTES = 262_144
_INSTRUCTIONS_BYTES = 200_000
_MOST_FILES = 60  # with instructions, of one pattern
_DEEPEST = 128
_HEAD = re.compile(r"refs/[\w./+@-]{1,200}|[0-9a-f]{40,64}")


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
    own = _pointed_folder(root) if root else None
    return own if own and _is_file(own / "HEAD") else None


def worktrees_beside(folder: Path) -> list[Path]:
    """The other work trees of the repository whose checkout this folder is: the main one, and those linked to it."""
    git_folder = _git_folder(folder)
    if git_folder is None:
        return []
    try:
        own, git = folder.resolve(), git_folder.resolve()
        pointers = sorted((git / "worktrees").glob("*/gitdir"))[:_MOST_FILES]
        targets = [_pointed(pointer.parent, _text(pointer, _POINTER_BYTES)) for pointer in pointers]
        places = [git.parent, *(target.parent.resolve() for target in targets if target is not None)]
        return [place for place in places if place != own and _shares(place, git)]
    except (OSError, ValueError, RuntimeError):
        return []


def _shares(place: Path, git: Path) -> bool:
    there = _git_folder(place)
    return there is not None and there.resolve() == git


def head_of(root: Path) -> str:
    """What HEAD of a checkout names, also of a linked work tree: a ref or a commit; "" where it cannot be told."""
    pointer = re.match(r"gitdir:[ \t]*(\S[^\n\r]*)", _text(root / ".git", _POINTER_BYTES))
    folder = _pointed(root, pointer[1]) if pointer else root / ".git"
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
    folder = _pointed_folder(checkout)
    shared = _text(folder / "commondir", _POINTER_BYTES) if folder else ""
    if folder and shared:
        folder = _pointed(folder, shared)
    return folder if folder and _looks_like_git(folder) else None


def _pointed_folder(checkout: Path) -> Path | None:
    """The `.git` of a checkout, or where it points."""
    pointer = re.match(r"gitdir:[ \t]*(\S[^\n\r]*)", _text(checkout / ".git", _POINTER_BYTES))
    return _pointed(checkout, pointer[1]) if pointer else checkout / ".git"


def _pointed(start: Path, target: str) -> Path | None:
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
