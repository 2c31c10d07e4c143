"""What a session's working folder says: the folder that stands for its repository, and whose home it lies in.

The path may come from another machine and another operating system, so nothing is looked up: a path is text here.
Drive letters, WSL and Git Bash spellings of one folder become one. Worktrees count to their repository where the layout
of the folders gives it away. A subfolder cannot be told from a repository here; `repo.resolve` sees more.
"""

import posixpath
import re
import unicodedata
from urllib.parse import unquote

from afterwit.model.text import regex

_HOME = r"(?:~|/root|/(?:var/|export/)?home/[^/]+|/Users/[^/]+|[a-z]:/(?:Users|Documents and Settings)/[^/]+)"
_TEMPS = (
    r"/(?:var/)?tmp|/dev/shm|/var/folders/[^/]+/[^/]+/[A-Z]"
    r"|[a-z]:/(?:Windows/)?Te?mp|[a-z]:/.*/AppData/Local/Temp"
)
_IS_HOME = regex(f"(?i){_HOME}")
_IS_TEMP = regex(f"(?i){_TEMPS}")
_IS_NO_PLACE = regex(r"(?i)|/|/(?:var/|export/)?home|/Users|[a-z]:/?|[a-z]:/Users|//[^/]+(?:/[^/]+)?|/mnt|/Volumes")
_USER = regex(r"(?i)(?:/(?:var/|export/)?home|/Users|[a-z]:/(?:Users|Documents and Settings))/([^/]+)")
_NOBODY = frozenset({"all users", "default", "public", "shared"})
_SCRATCH = regex(r"(?i)tmp[._-]?\w{6,}|[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = regex(r"(?i)[0-9a-f]{32,}")
# Where the repository's name is a folder below the place that holds the worktrees: `base/…/repo` becomes `base/repo`.
_COLLECTED = (
    regex(rf"(?i)(?P<base>{_HOME}/\.codex/worktrees)/(?:[^/]+/)?(?P<repo>[^/]+)"),
    regex(r"(?i)(?P<base>.*/(?:vibe-kanban/worktrees|\.vibe-kanban-workspaces))/(?:[^/]+/)?(?P<repo>[^/]+)"),
    regex(rf"(?i)(?P<base>{_HOME}/(?:\.(?:cursor|superset)/worktrees|\.?worktrees))/(?P<repo>[^/]+)"),
    regex(rf"(?i)(?P<base>{_HOME}/conductor/workspaces)/(?P<repo>[^/]+)"),
    regex(r"(?i)(?P<base>.*/(?:copilot-worktrees|opencode/worktree))/(?P<repo>[^/]+)"),
)
# Where the worktrees lie inside or beside the repository: `repo/.claude/worktrees/x`, `repo.worktrees/x`.
_ATTACHED = (
    regex(r"(?i)(?P<root>.+?)/(?:\.[\w-]+/)?(?:\.?worktrees?|\.trees|\.conductor)/[^/]+"),
    regex(r"(?i)(?P<root>.*/[^/]*[^/._-])[._-]{1,2}worktrees?/[^/]+"),
)


def root_of(cwd: str) -> str:
    """The folder that stands for the repository, in one spelling; "" where there is none. Applying it twice changes
    nothing."""
    path = _spelled(cwd)
    for layout in _COLLECTED:
        match = layout.match(path)
        if match:
            return f"{match['base']}/{match['repo']}"
    for layout in _ATTACHED:
        match = layout.match(path)
        if match:
            return root_of(match["root"])
    return path


def root_name(cwd: str) -> str:
    """The name of that folder; "" for a home folder, a temporary folder, a drive, a share and the root."""
    root = root_of(cwd)
    parent, _, name = root.rpartition("/")
    if any(place.fullmatch(root) for place in (_IS_HOME, _IS_TEMP, _IS_NO_PLACE)) or _HASH.fullmatch(name):
        return ""
    return "" if _IS_TEMP.fullmatch(parent) and _SCRATCH.fullmatch(name) else name


def user_of(cwd: str) -> str:
    """The user whose home folder this lies in, or ""."""
    path = _spelled(cwd)
    if path == "/root" or path.startswith("/root/"):
        return "root"
    match = _USER.match(path)
    return match[1] if match and match[1].casefold() not in _NOBODY else ""


def _spelled(cwd: str) -> str:
    """The path with forward slashes, without detours, the same from Windows, WSL and Git Bash."""
    path = unicodedata.normalize("NFC", cwd)
    while (simpler := _simpler(path)) != path:
        path = simpler
    return path


def _simpler(path: str) -> str:
    if path.startswith("file://"):
        path = re.sub(r"^/(?=[A-Za-z]:)", "", unquote(path.removeprefix("file://")))
    path = re.sub(r"^/(?:mnt|cygdrive)/([a-zA-Z])(?=/|$)|^/([a-zA-Z])(?=/Users/)", _drive, path)
    if re.match(r"[A-Za-z]:|\\\\", path):
        path = path.replace("\\", "/")
    path = re.sub(r"^//[?.]/(UNC/)?", lambda match: "//" if match[1] else "", path)
    path = re.sub(r"(?i)^//wsl(?:\$|\.localhost)/[^/]+/?", "/", path)
    path = re.sub(r"^[A-Za-z]:", lambda match: match[0].lower(), posixpath.normpath(path))
    path = re.sub(r"^/private(?=/(?:tmp|var)(?:/|$))", "", path)
    return "" if path.strip() in {"", "."} else path


def _drive(match: re.Match[str]) -> str:
    return f"{match[1] or match[2]}:"
