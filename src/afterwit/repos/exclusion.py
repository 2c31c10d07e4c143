"""What people leave out: repositories, folders and agents, by pattern. The one way in which learning, recall and hooks
ask.

An entry is `repo:PATTERN`, `folder:PATTERN` or `agent:PATTERN`. `*` and `?` stay within a name, `**` is any number of
folders. A repository goes by its whole name, by its owner and name, or by its last part; a folder means all that is in
it, too. Upper and lower case are the same, but for folders. Imports nothing slow, so that a hook can ask.
"""

from afterwit.actions.quick_look import fits_path

REPO, FOLDER, AGENT = "repo", "folder", "agent"
KINDS = (REPO, FOLDER, AGENT)
_EVERYTHING_IN = "/**"


class Exclusion:
    """What is left out, by kind. Folders are absolute here, with `/` between their names."""

    __slots__ = ("agents", "entries", "folders", "repos")

    def __init__(self, entries: "tuple[str, ...] | list[str]" = (), home: str = "") -> None:
        """Raises ValueError where an entry is none."""
        self.entries = list(entries)
        pairs = [parse_entry(entry) for entry in entries]
        self.repos = [pattern.casefold() for kind, pattern in pairs if kind == REPO]
        self.folders = [_absolute(pattern, home) for kind, pattern in pairs if kind == FOLDER]
        self.agents = [pattern.casefold() for kind, pattern in pairs if kind == AGENT]

    def __bool__(self) -> bool:
        return bool(self.repos or self.folders or self.agents)

    def has_agent(self, agent: str) -> bool:
        return any(fits_path(pattern, agent.casefold()) for pattern in self.agents)

    def has_folder(self, folder: str) -> bool:
        """Whether this folder is left out, or one above it."""
        place = folder.replace("\\", "/")
        return bool(place) and any(fits_path(pattern, place) for pattern in self.folders)

    def has_repo(self, repo: str) -> bool:
        """Whether a repository of this name is left out."""
        whole = repo.casefold().strip("/")
        without_host = whole.partition("/")[2]
        last = whole.rpartition("/")[2]
        return bool(whole) and any(
            (fits_path(pattern, whole) or (bool(without_host) and fits_path(pattern, without_host)))
            if "/" in pattern
            else fits_path(pattern, last)
            for pattern in self.repos
        )


def parse_entry(entry: str) -> tuple[str, str]:
    """(kind, pattern) of an entry. Raises ValueError, which says what is wrong and how it is written."""
    kind, colon, pattern = entry.partition(":")
    pattern = pattern.strip()
    if not colon or kind not in KINDS or not pattern:
        raise ValueError('write "repo:PATTERN", "folder:PATTERN" or "agent:PATTERN", such as "repo:work/*"')
    if kind == FOLDER and not _is_absolute(pattern):
        raise ValueError('a folder is written whole, or from your home folder on: "folder:~/clients"')
    return kind, pattern


def _is_absolute(pattern: str) -> bool:
    has_drive = pattern[1:2] == ":" and pattern[2:3] in ("/", "\\")
    return pattern == "~" or pattern.startswith(("/", "~/", "~\\", "\\\\")) or has_drive


def _absolute(pattern: str, home: str) -> str:
    """With the home folder in the place of `~`, and without what only says that all inside is meant."""
    whole = pattern.replace("\\", "/")
    whole = home.replace("\\", "/").rstrip("/") + whole[1:] if whole.startswith("~") else whole
    while whole.endswith(_EVERYTHING_IN) or (whole.endswith("/") and whole != "/"):
        whole = whole.removesuffix("/").removesuffix(_EVERYTHING_IN)
    return whole if whole.startswith("/") else f"/{whole}"
