"""Reads what a repository and the agents on this machine already tell every session: instruction and memory files.

A checkout is foreign: only regular files are read, only their beginning, and nothing outside the folder that was asked
for, so a link that leads elsewhere is left out. Nothing is raised: what cannot be read is not there.
"""

from collections.abc import Iterator
from pathlib import Path

from afterwit.model.instruction_files import IN_CHECKOUTS, IN_HOMES
from afterwit.store.regular_files import read_regular

_LIMIT_BYTES = 200_000
_MOST_FILES = 60


def of_checkout(root: Path) -> dict[str, str]:
    """The instruction files of a checkout: text by path below it."""
    return dict(_texts(root, IN_CHECKOUTS))


def of_home(home: Path) -> dict[str, str]:
    """The instruction and memory files of a user's agents: text by path below the home folder."""
    return dict(_texts(home, IN_HOMES))


def of_project(home: Path, root: Path) -> dict[str, str]:
    """What Claude Code remembers of a project: text by path below the home folder."""
    folder = "".join(one if one.isalnum() else "-" for one in str(root))
    return dict(_texts(home, (f".claude/projects/{folder}/memory/*.md",)))


def _texts(folder: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    try:
        whole = folder.resolve()
        found = [path for pattern in patterns for path in sorted(folder.glob(pattern))[:_MOST_FILES]]
    except (OSError, ValueError):
        return
    for path in found:
        text = _text(path, whole)
        if text:
            yield path.relative_to(folder).as_posix(), text


def _text(path: Path, inside: Path) -> str:
    try:
        real = path.resolve()
        if not real.is_file() or not real.is_relative_to(inside):
            return ""
        return read_regular(real, _LIMIT_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
