"""Recognises a clone by its first commit, where nothing cheaper does: asked of git once for each folder, and kept.

Git is run only at the start of a session, and only where the deck knows a repository by its first commit alone. Its
answer goes into the folder of the store, into a file under a hash of the clone's folder: there a later moment finds
what took longer than a hook waits, and a file that is there is the sign that git was asked. The repository may be
anyone's: nothing is fetched, no lock is taken, and no configuration but its own is read.
"""

import os
import time

from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.redaction.quiet_git import QUIET_GIT
from afterwit.store.regular_files import read_regular

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH103, PTH110, PTH118, PTH120

KEPT = "first-commits"
_LONGEST = 128
_WAIT_SECONDS = 0.5
_PAUSE_SECONDS = 0.005


def recognised(deck: Deck, place: Location, store: str, *, may_ask: bool) -> Location:
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
