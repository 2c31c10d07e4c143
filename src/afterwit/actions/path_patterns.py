"""Which paths a pattern means, as in gitignore. The one way in which learning, recall and hooks compare them.

`*` and `?` stay within a name, a whole name `**` is any number of folders, a pattern without a folder fits at any
depth, and what fits a folder means all that is in it. Name by name, without regular expressions: those can take
minutes where several `**` follow each other, and no time limit ends them. Here each pair of names is compared at most
once. Imports nothing slow, so that a hook can ask.
"""

from collections.abc import Callable, Sequence

_FOLDERS = "**"
_PIECE = "*"


def fits_path(pattern: str, path: str) -> bool:
    """Whether a path below the repository is meant by a pattern."""
    wanted = pattern.strip("/").split("/")
    if wanted[-1] == _FOLDERS:
        wanted[-1] = _PIECE
    before = [] if "/" in pattern.rstrip("/") else [_FOLDERS]
    return _fits([*before, *wanted, _FOLDERS], path.lstrip("/").split("/"), _FOLDERS, _is_name)


def closeness(pattern: str) -> int:
    """How closely a pattern names a file: by how many plain names. `*.py` names none, `src/**` one, a file all."""
    return sum(bool(name) and not set(name) & set("*?[") for name in pattern.split("/"))


def _is_name(wanted: str, name: str) -> bool:
    if wanted == name:
        return True
    return ("*" in wanted or "?" in wanted) and _fits(wanted, name, _PIECE, _is_letter)


def _is_letter(wanted: str, letter: str) -> bool:
    return wanted in ("?", letter)


def _fits(wanted: Sequence[str], names: Sequence[str], gap: str, fits: Callable[[str, str], bool]) -> bool:
    """Whether all that is given is as wanted. Only the last gap is ever made wider: what came before it stands as far
    left as it can, so another place for it would win nothing."""
    at = here = widened = 0
    last_gap = -1
    while here < len(names):
        if at < len(wanted) and wanted[at] == gap:
            last_gap, widened = at, here
            at += 1
        elif at < len(wanted) and fits(wanted[at], names[here]):
            at += 1
            here += 1
        elif last_gap >= 0:
            widened += 1
            at, here = last_gap + 1, widened
        else:
            return False
    return all(part == gap for part in wanted[at:])
