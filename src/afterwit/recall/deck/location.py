"""Where the store is, and which repository a folder belongs to.

The store is found as commands find it, without reading a configuration file: whoever installs a hook for a store
elsewhere gives it `AFTERWIT_HOME` and `AFTERWIT_PROFILE`. A folder is known by itself or by one above it; else a
worktree by its main checkout, and a fresh clone by its remote, an alias or its name.

Where nothing of these helps, a clone is known by its first commit: git is asked once for each folder, at the start of a
session, and only where the deck knows a repository by its first commit alone. Its answer goes into the folder of the
store, under a hash of the clone's folder: there a later moment finds what took longer than a hook waits. The repository
may be anyone's: nothing is fetched, no lock is taken, and no configuration but its own is read.
"""

import os
import sys
import time

from afterwit.store.regular_files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:  # whoever only wants to know where the store is opens no deck
    from collections.abc import Iterable

    from afterwit.recall.deck.reader import Deck

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH100, PTH111, PTH112, PTH118, PTH119, PTH120

_NAME = "afterwit"
_MOST_FOLDERS = 64
_LARGEST_FILE = 65_536
_DEFAULT_PROFILE = "default"


def store_folder(environ: "os._Environ[str] | dict[str, str]") -> str:
    """The folder of the store in force."""
    profile = environ.get("AFTERWIT_PROFILE", "")
    root = os.path.abspath(os.path.expanduser(environ.get("AFTERWIT_HOME", "") or _default_root(environ)))
    return os.path.join(root, "profiles", profile) if profile not in ("", _DEFAULT_PROFILE) else root


def _default_root(environ: "os._Environ[str] | dict[str, str]") -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        return os.path.join(environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), _NAME)
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", _NAME)
    data = environ.get("XDG_DATA_HOME", "")
    return os.path.join(data if data.startswith("/") else os.path.join(home, ".local", "share"), _NAME)


class Location:
    """A repository and the folder that it begins at."""

    __slots__ = ("repo", "root")

    def __init__(self, repo: str = "", root: str = "") -> None:
        self.repo = repo
        self.root = root

    def below(self, path: str, cwd: str) -> str:
        """A path as it is named below the repository; "" where it is not in it."""
        whole = os.path.normpath(os.path.join(cwd, path)).replace(os.sep, "/")
        root = self.root.replace(os.sep, "/").rstrip("/")
        return whole[len(root) + 1 :] if root and whole.startswith(f"{root}/") else ""


def is_in_checkout(folder: str, root: str) -> bool:
    """Whether a folder lies in a checkout, in a worktree of it anywhere, or beside it under its name."""
    if (folder + os.sep).startswith((root + os.sep, root + ".")):
        return True
    top = next((place for place in _upwards(folder) if os.path.lexists(os.path.join(place, ".git"))), "")
    main = _main_checkout(top) if top else ""
    return bool(main) and main in (root, _main_checkout(root))


def location_of(deck: "Deck", cwd: str) -> Location:
    """The repository that a folder belongs to; none where nothing tells."""
    folders = _upwards(cwd)
    home = os.path.expanduser("~")
    place = _look_up_folders(deck, folders, home)
    if place.repo:
        return place
    top = next((folder for folder in folders if os.path.lexists(os.path.join(folder, ".git"))), "")
    if not top:
        return place
    main = _main_checkout(top)
    repo = _look_up_folders(deck, [main], home).repo or _recognise_checkout(deck, main) if main else ""
    return Location(repo, top)


def _recognise_checkout(deck: "Deck", main: str) -> str:
    """The repository of a checkout in which no session was seen: by its remote, an alias, or its name."""
    from afterwit.repos.remotes import keys_of_checkout

    return deck.repo_of(keys_of_checkout(_remote(main), os.path.basename(main)))


def is_left_out(deck: "Deck", agent: str, cwd: str, paused: "Iterable[str]" = ()) -> bool:
    """Whether the user's settings, or what is paused, leave this agent, this folder or its repository out. A repository
    goes by the name that it was learned under, and by its remote."""
    entries = [*deck.names("exclude"), *paused]
    if not entries:
        return False
    from afterwit.repos.exclusion import Exclusion

    exclusion = Exclusion(entries, os.path.expanduser("~"))
    folders = _upwards(cwd)
    if exclusion.has_agent(agent) or exclusion.has_folder(folders[0] if folders else ""):
        return True
    if not exclusion.repos:
        return False
    top = next((folder for folder in folders if os.path.lexists(os.path.join(folder, ".git"))), "")
    main = _main_checkout(top) if top else ""
    if main and (exclusion.has_folder(main) or exclusion.has_repo(_remote(main))):
        return True
    place = location_of(deck, cwd)
    return exclusion.has_repo(place.repo or os.path.basename(main or cwd))


def _look_up_folders(deck: "Deck", folders: list[str], home: str) -> Location:
    """The first of the folders that the deck has, by its whole name or below the user's home."""
    spelled: dict[str, str] = {}
    for folder in folders:
        spelled[folder] = folder
        if home and (folder == home or folder.startswith(home + os.sep)):
            spelled["~" + folder[len(home) :].replace(os.sep, "/")] = folder
    repo, name = deck.repo_at(list(spelled))
    return Location(repo, spelled[name]) if repo else Location()


def _upwards(folder: str) -> list[str]:
    """The folder and those above it, the closest first."""
    folders: list[str] = []
    folder = os.path.normpath(folder) if folder else ""
    while folder and folder not in folders and len(folders) < _MOST_FOLDERS:
        folders.append(folder)
        folder = os.path.dirname(folder)
    return folders


def branch_of(root: str) -> str:
    """The branch that is checked out in a checkout or a worktree; "" where none is."""
    folder = os.path.join(root, ".git") if root else ""
    if folder and not os.path.isdir(folder):
        folder = os.path.normpath(os.path.join(root, _read(folder).partition("gitdir:")[2].strip()))
    text = _read(os.path.join(folder, "HEAD")).strip() if folder else ""
    return text.partition("refs/heads/")[2] if text.startswith("ref:") else ""


def _main_checkout(top: str) -> str:
    """The checkout that a worktree belongs to; a plain checkout is its own."""
    mark = os.path.join(top, ".git")
    if os.path.isdir(mark):
        return top
    folder = _read(mark).partition("gitdir:")[2].strip()
    shared = os.path.normpath(os.path.join(top, folder)).partition(f"{os.sep}.git{os.sep}worktrees{os.sep}")
    return shared[0] if shared[1] else ""


def _remote(top: str) -> str:
    """The remote of a checkout, as repositories are named; "" where it cannot be told."""
    config = _read(os.path.join(top, ".git", "config"))
    if not config:
        return ""
    from afterwit.repos.remotes import remote_in

    return remote_in(config)


def _read(path: str) -> str:
    try:
        return read_regular(path, _LARGEST_FILE).decode("utf-8", "replace")
    except OSError:
        return ""


# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH103, PTH110, PTH118, PTH120

KEPT = "first-commits"
_LONGEST = 128
_WAIT_SECONDS = 0.5
_PAUSE_SECONDS = 0.005


def recognised(deck: "Deck", place: Location, store: str, *, may_ask: bool) -> Location:
    """The place with the repository that it begins like, where that is known."""
    if place.repo or not place.root or not deck.knows_commits():
        return place
    path = os.path.join(store, KEPT, _name(place.root))
    if may_ask and not os.path.exists(path):
        _ask(place.root, path)
    commit = _answer(path)
    return Location(deck.repo_of([f"commit:{commit}"]), place.root) if commit else place


def _ask(root: str, path: str) -> None:
    """Lets git write its answer, and waits for it a little."""
    if not hasattr(os, "posix_spawnp"):
        return
    from afterwit.redaction.quiet_git import QUIET_GIT

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, path, flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    words = ["git", f"--git-dir={root}/.git", "rev-list", "--first-parent", "--max-parents=0", "HEAD"]
    try:
        process = os.posix_spawnp(
            "git", words, {"PATH": os.environ.get("PATH", os.defpath)} | QUIET_GIT, file_actions=files
        )
    except OSError:  # there is no git, or another hook has just asked
        return
    until = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < until and os.waitpid(process, os.WNOHANG) == (0, 0):
        time.sleep(_PAUSE_SECONDS)


def _answer(path: str) -> str:
    try:
        commit = read_regular(path, _LONGEST).decode("ascii", "replace").partition("\n")[0]
    except OSError:
        return ""
    return commit if commit.isalnum() else ""


def _name(root: str) -> str:
    import hashlib

    return hashlib.blake2b(root.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
