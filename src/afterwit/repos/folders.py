"""What folders say of a session: the one that stands for its repository, whose home it lies in, and where a session
worked whose log names none.

A path may come from another machine and another operating system, so nothing is looked up: the same log gives the same
place on every machine. Worktrees count to their repository where the layout of the folders gives it away. Where no
folder is named, the places that calls name (folders, files, remotes) are counted, and the one in which most was done
leads.
"""

import posixpath
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command, folder_after
from afterwit.model.text import regex
from afterwit.repos.remotes import canonical_remote, last_part, name_key

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


PARTS_OF_A_REPOSITORY = frozenset(
    """api app apps backend client cmd crates docs e2e examples frontend internal lib libs packages pkg scripts server
    services src test tests ui web website""".split()  # noqa: SIM905
)


class Spot(NamedTuple):
    """What one session says of its place, as the caller has it."""

    root: str
    remote: str


def root_of(cwd: str) -> str:
    """The folder that stands for the repository, in one spelling; "" where there is none. Applying it twice changes
    nothing."""
    path = _normalize(cwd)
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
    path = _normalize(cwd)
    if path == "/root" or path.startswith("/root/"):
        return "root"
    match = _USER.match(path)
    return match[1] if match and match[1].casefold() not in _NOBODY else ""


def _normalize(cwd: str) -> str:
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


MOST_PLACES = 64
ORIGIN = "origin:"  # before a remote that git printed
_MOST_COMMANDS = 24
_LONGEST_LINE = 16_384
_HOMES = r"~|/root|/(?:var/|export/)?home/[^/]+|/Users/[^/]+|[a-z]:/Users/[^/]+"
_TOPS = r"/(?:workspaces?|repos?|projects|code|srv|opt)|[a-z]:"
_COLLECTIONS = (
    r"(?i:code|dev|development|documents|git|github|gitlab|projects?|repos?|repositories|source|sources|src|work"
    r"|workspaces?|go/src/[^/]+/[^/]+)"
)
_PROJECT = regex(rf"(?P<root>(?:(?:{_HOMES})(?:/{_COLLECTIONS})*|{_TOPS})/(?P<name>[^/.][^/]*))/.")
_IS_COLLECTION = regex(rf"(?:{_HOMES})(?:/{_COLLECTIONS})+")
_HIDDEN = regex(rf"(?:{_HOMES})/\.(?!(?:codex|cursor|superset)/worktrees/|worktrees/).*")
_SYSTEM = regex(r"/(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|var(?!/(?:www|home)/))(?:/.*)?")
_HOME_VARIABLE = regex(r"^\$(?:HOME\b|\{HOME\})")
_OPEN = regex(r"[$`*?{}<>\"'\n]")
_IN_OUTPUT = (
    regex(r"(?m)^(?:origin|upstream)\s+(\S+)\s+\((?:fetch|push)\)"),
    regex(r"(?m)^(?:To|From) (\S+[:/]\S+)$"),
)
_ASKED = regex(r"(?i)https?://(?P<host>[\w.-]+)(?::\d+)?/(?:api/v\d+/)?repos/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)")
_OWNED = regex(r"(?:[\w.-]+/)?[\w.-]+/[\w.-]+")
_FOLDER_KEYS = ("workdir", "cwd", "working_dir", "working_directory", "directory", "dir_path")
_MOST_OUTPUT = 8_192
_CHILD_RATIO = 2


def folder_named(arguments: Mapping[str, object]) -> str:
    """The folder that a call is to be run in, where its arguments say so."""
    values = (arguments.get(key) for key in _FOLDER_KEYS)
    return next((value for value in values if isinstance(value, str) and value), "")


def places_of_command(line: str, folder: str = "") -> set[str]:
    """The folders in which the commands of a line run, and the remotes that they are about."""
    places = {_folder(folder)}
    for command in parsed(line[:_LONGEST_LINE]).commands[:_MOST_COMMANDS]:
        places.add(_folder(folder_after(command, is_stage=False)))
        places |= {_folder(path) for path in _after_option(command, ("-C",)) if command.program == "git"}
        places |= {*_remotes_of(command)}
    return places - {""}


def place_of_file(path: str, places: Iterable[str] = ()) -> str:
    """The folder that a file belongs to: one of those that commands named, else the first below a home."""
    path = root_of(path) if path else ""
    around = [place for place in places if path.startswith(f"{place}/")]
    if around:
        return max(around, key=len)
    match = _PROJECT.match(path)
    return _folder(match["root"]) if match and not _HIDDEN.match(path) else ""


def remotes_in(output: str) -> set[str]:
    """The remotes that an output of git shows, each marked as such: a checkout has them, others are only asked for."""
    text = output[:_MOST_OUTPUT]
    if "(fetch)" not in text and " -> " not in text:
        return set()
    matches = (match for form in _IN_OUTPUT for match in form.finditer(text))
    return {f"{ORIGIN}{remote}" for match in matches if (remote := canonical_remote(match[1]))}


def main_place(counts: Mapping[str, int]) -> Spot:
    """The place in which most was done, of folders and remotes with how often they were named; empty where none is."""
    folders = _gather({place: count for place, count in counts.items() if _is_folder(place)})
    origins = {place.removeprefix(ORIGIN) for place in counts if place.startswith(ORIGIN)}
    remotes: Counter[str] = Counter()
    for place, count in counts.items():
        remotes[place.removeprefix(ORIGIN)] += 0 if _is_folder(place) else count
    named: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for place, count in (*folders.items(), *(+remotes).items()):
        named[name_key(root_name(place) if _is_folder(place) else last_part(place))][place] += count
    if not named:
        return Spot("", "")
    best = min(named.values(), key=lambda group: (-group.total(), folders.keys().isdisjoint(group), min(group)))
    root, remote = _commonest(best, folders), _commonest(best, +remotes)
    is_only = bool(root) and len(folders) == len(origins) == 1
    return Spot(root, remote or (min(origins) if is_only else ""))


def _commonest(group: Counter[str], places: Mapping[str, int]) -> str:
    return min((place for place in group if place in places), key=lambda place: (-group[place], place), default="")


def _gather(folders: Mapping[str, int]) -> dict[str, int]:
    """Folders with those below them: `orchard/tools` belongs to `orchard`, if enough was done there too. A short way to
    a home is that of the home which the others name."""
    home = _home_of(folders)
    whole: Counter[str] = Counter()
    for folder, count in folders.items():
        whole[home + folder[1:] if home and folder.startswith("~/") else folder] += count
    gathered: Counter[str] = Counter()
    for folder, count in whole.items():
        above = [place for place in whole if folder.startswith(f"{place}/") and whole[place] * _CHILD_RATIO >= count]
        gathered[min(above, key=len, default=folder)] += count
    return dict(gathered)


def _home_of(folders: Mapping[str, int]) -> str:
    homes: Counter[str] = Counter()
    for folder, count in folders.items():
        match = re.match(rf"(?:{_HOMES})(?=/)", folder)
        if match and match[0] != "~":
            homes[match[0]] += count
    return min(homes, key=lambda home: (-homes[home], home), default="")


def _folder(path: str) -> str:
    """A folder that may be a repository's, in one spelling; "" for any other."""
    path = _HOME_VARIABLE.sub("~", path.strip())
    if not path or _OPEN.search(path) or not re.match(r"/|~/|[A-Za-z]:[/\\]", path):
        return ""
    root = root_of(path)
    if _HIDDEN.fullmatch(root) or _SYSTEM.fullmatch(root) or _IS_COLLECTION.fullmatch(root):
        return ""
    root = _without_parts(root)
    return root if root_name(root) else ""


def _without_parts(root: str) -> str:
    """The folder without the usual parts of a repository below its first folder: `orchard/src/api` is in `orchard`."""
    match = _PROJECT.match(f"{root}/.")
    begin = len(match["root"]) if match else root.find("/", 1) + 1
    names = root[begin:].split("/")
    part = next((at for at, name in enumerate(names) if name in PARTS_OF_A_REPOSITORY and (match or at)), len(names))
    return (root[:begin] + "/".join(names[:part])).rstrip("/")


def _is_folder(place: str) -> bool:
    return place.startswith(("/", "~")) or place[1:2] == ":"


def _remotes_of(command: Command) -> Iterable[str]:
    texts = (*command.arguments, *(redirection.body for redirection in command.redirections))
    asked = (match for text in texts for match in _ASKED.finditer(text))
    yield from (_remote_asked(match) for match in asked)
    if command.program == "git" and command.subcommand == "clone":
        yield next(filter(None, map(canonical_remote, command.arguments[1:])), "")
    if command.program in ("gh", "glab", "tea"):
        host = {"gh": "github.com/", "glab": "gitlab.com/"}.get(command.program, "")
        for name in _after_option(command, ("-R", "--repo", "-r")):
            if _OWNED.fullmatch(name):
                yield canonical_remote(name if name.count("/") > 1 else host + name)


def _remote_asked(match: re.Match[str]) -> str:
    host = match["host"].lower()
    return canonical_remote(f"{'github.com' if host == 'api.github.com' else host}/{match['owner']}/{match['name']}")


def _after_option(command: Command, options: Sequence[str]) -> Iterator[str]:
    arguments = command.arguments
    for at, word in enumerate(arguments):
        name, is_joined, value = word.partition("=")
        if word in options and at + 1 < len(arguments):
            yield arguments[at + 1]
        elif is_joined and name in options:
            yield value


_WORKTREE = regex(r"[/\\]\.?(?:claude[/\\])?worktrees?[/\\][^/\\]+")


def below(path: str, cwd: str, root: str) -> str:
    """The path below the repository, with slashes; as it is where it lies elsewhere."""
    path = outside_worktree(path)
    for folder in (cwd, root):
        folder = outside_worktree(folder).rstrip("/")
        if folder and path.startswith(f"{folder}/"):
            return path[len(folder) + 1 :]
    return path.removeprefix("./")


def outside_worktree(path: str) -> str:
    """The path as it is in the main working tree, with slashes."""
    return (_WORKTREE.sub("", path) if "worktree" in path else path).replace("\\", "/")
