"""Recognises a clone by its first commit, where nothing cheaper does: asked of git once for each folder, and kept.

Only at the start of a session, and only where the deck knows a repository by its first commit alone, git is run. What it
said is kept in the folder of the store, under a hash of the clone's folder; that it was asked is kept first, so that a
repository in which the answer takes too long is not asked again and again.
"""

import os

from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.store.regular_files import read_regular

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH118

KEPT = "first-commits"
_MOST_BYTES = 65_536
_TRIES = 3


def recognised(deck: Deck, place: Location, store: str, *, may_ask: bool) -> Location:
    """The place with the repository that it begins like, where that is known."""
    if place.repo or not place.root or not deck.knows_commits():
        return place
    name = _name(place.root)
    answers = _answers(store, name)
    commit = max(answers, default="")
    if not commit and may_ask and len(answers) < _TRIES:
        commit = _asked(store, name, place.root)
    return Location(deck.repo_of([f"commit:{commit}"]), place.root) if commit else place


def _asked(store: str, name: str, root: str) -> str:
    from pathlib import Path

    from afterwit.sources.checkout import root_commit_of

    _keep(store, f"{name}\n")
    commit = root_commit_of(Path(root))
    if commit:
        _keep(store, f"{name} {commit}\n")
    return commit


def _answers(store: str, name: str) -> list[str]:
    """What was said each time: a commit, or nothing yet. A file that is full says that it was asked often enough."""
    try:
        content = read_regular(os.path.join(store, KEPT), _MOST_BYTES)
    except FileNotFoundError:
        return []
    except OSError:
        return [""] * _TRIES
    pairs = (line.partition(" ") for line in content.decode("ascii", "replace").splitlines())
    answers = [commit for asked, _, commit in pairs if asked == name]
    return answers or [""] * (_TRIES if len(content) >= _MOST_BYTES else 0)


def _keep(store: str, line: str) -> None:
    handle = os.open(os.path.join(store, KEPT), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, line.encode("ascii"))
    finally:
        os.close(handle)


def _name(root: str) -> str:
    import hashlib

    return hashlib.blake2b(root.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
