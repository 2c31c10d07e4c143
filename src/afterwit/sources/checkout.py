"""The remote of a checkout on this machine, read from its `.git` without running git.

A checkout is foreign: its files may point anywhere, be huge, or be no files at all. So only regular files are read, and
only their beginning, and a folder counts as a git folder only if it looks like one. Nothing is raised: what is odd
gives "" or None. Settings outside the checkout (includes, `insteadOf` in the user's own configuration) are left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from afterwit.repos.remotes import canonical_remote
from afterwit.store.regular_files import read_regular

_POINTER_BYTES = 4_096
_CONFIG_BYTES = 262_144
_DEEPEST = 128
_PREFERRED = ("origin", "upstream")
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][\w-]*)\s*=\s*(.*)")


class _Remote(NamedTuple):
    name: str
    url: str


def root_of_checkout(folder: Path) -> Path | None:
    """The folder of the checkout that this folder lies in, or None."""
    try:
        place = folder.absolute()
    except OSError:
        return None
    for above in (place, *place.parents)[:_DEEPEST]:
        if _git_folder(above) is not None:
            return above
    return None


def remote_of(folder: Path) -> str:
    """The canonical remote of the checkout that this folder lies in: origin, else upstream, else the only one; ""."""
    root = root_of_checkout(folder)
    git = _git_folder(root) if root else None
    if git is None:
        return ""
    remotes: dict[str, str] = {}
    for name, url in _remotes(_text(git / "config", _CONFIG_BYTES)):
        remotes.setdefault(name, canonical_remote(url))
    only = list(remotes) if len(remotes) == 1 else []
    return next((remotes[name] for name in (*_PREFERRED, *only) if remotes.get(name)), "")


def _git_folder(checkout: Path) -> Path | None:
    """The folder with the configuration that this checkout uses: for a worktree that of the main checkout."""
    folder: Path | None = checkout / ".git"
    pointer = re.match(r"gitdir:[ \t]*(\S[^\n\r]*)", _text(checkout / ".git", _POINTER_BYTES))
    if pointer:
        folder = _pointed(checkout, pointer[1])
    shared = _text(folder / "commondir", _POINTER_BYTES) if folder else ""
    if folder and shared:
        folder = _pointed(folder, shared)
    return folder if folder and _looks_like_git(folder) else None


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
    if not _is_file(path):
        return ""
    try:
        return read_regular(path, limit_bytes).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _remotes(config: str) -> Iterator[_Remote]:
    """The remotes in git's configuration format, in file order."""
    section, name = "", ""
    for line in config.replace("\\\n", "").splitlines():
        line = line.strip()
        header = _SECTION.match(line)
        if header:
            section, name = header[1].lower(), header[2] or ""
            line = line[header.end() :].strip()
        entry = _ENTRY.match(line)
        if entry and section == "remote" and name and entry[1].lower() == "url":
            yield _Remote(name, _value(entry[2]))


def _value(text: str) -> str:
    """A value without its quotes and the comment behind it."""
    return re.sub(r'\s+[#;].*$|"', "", text).strip()
