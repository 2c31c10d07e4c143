"""`afterwit places`: where a task's work is likely to be, and why.

Answers from sessions, commits and files, with reasons. The checkout in which one stands is looked at, wherever its
sessions ran. Where the store has no index of its files, they are indexed on the spot, for this question, and nothing of
it is kept. What hinders is said in a line.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.capture.checkouts import GitCheckout
from afterwit.capture.tree_words import PATH_MARK, TreeWords
from afterwit.config.world import World, redactor_of
from afterwit.knowledge.door.listeners import listener_here
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.text import words_of
from afterwit.recall.deck.location import branch_of
from afterwit.recall.deck.prompt_tables import MOST_SESSIONS, places_of, sighting_of
from afterwit.recall.deck.reader import opened_immutable
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.places import (
    NO_TREE,
    Features,
    KnownRepo,
    KnownTree,
    LikelyPlace,
    Question,
    features,
    guess,
    pointed,
    with_tests,
    without_addresses,
    without_forbidden,
)
from afterwit.recall.recall import deck_of, is_left_out, repo_at, speaking_items
from afterwit.recall.repository import checkout_of, history_sightings, tree_file, update_checkout
from afterwit.recall.situation import Situation, holding
from afterwit.sessions.filters import find_repo
from afterwit.sources.checkout import own_git_folder_of, root_of_checkout
from afterwit.store.layout import Layout
from afterwit.store.rows.session_list import Selection, select_sessions
from afterwit.store.store import readonly_database, require

_MOST_WORDS = 3
_LEFT_OUT = "Nothing is told here: your settings leave it out. `afterwit config show` shows `learn.exclude`."
_EMPTY = 'The task is empty. Say in a few words what is to be done: afterwit places "mend the importer".'
NOTHING_KNOWN = "Nothing is known here: no session was seen in this folder, and it is no git checkout with a commit."
_NO_SESSION = "No session of this repository is known: its commits and files alone answer."
_NO_CHECKOUT = (
    "No git checkout of {} can be read: none with a commit is at hand, or `repositories.read` is off. Earlier sessions"
    " alone answer. Run this inside one, or name its folder under `[repositories.checkouts]`."
)


_LEAST_POINTED = 0.1  # what the words of the task must count for a file, unless this branch changed it


class FoundPlace(NamedTuple):
    place: LikelyPlace
    reasons: tuple[str, ...]


class FoundPlaces(NamedTuple):
    repo: str  # "" for a checkout in which no session was seen
    places: tuple[FoundPlace, ...]
    lacks: str = ""  # what could not be looked at, in a sentence


def find_places(world: World, folder: Path, repo: str | None, task: str, most: int) -> FoundPlaces:
    """The likeliest files for a task in a folder, or in a repository by its name."""
    if not task.strip():
        raise UsageError(_EMPTY)
    if is_left_out(world, None if repo else folder, repo=repo or ""):
        raise UsageError(_LEFT_OUT)
    if repo:
        require(world.layout)
    if not world.layout.database.exists():
        return _of_folder(world, folder, task, most)
    with readonly_database(world.layout) as db:
        here = repo_at(db, world, folder)
        name = find_repo(db, repo, world.settings) if repo else here
        if not name:
            return _of_folder(world, folder, task, most)
        if is_left_out(world, None, repo=name):
            raise UsageError(_LEFT_OUT)
        learned = checkout_of(db, world, name)
        checkout = (_checkout_at(world, folder, name) if name == here else None) or learned
        work = _work_of(db, world, name, checkout)
        situation = Situation(name)
        notes = holding(speaking_items(db, listener_here(db, world), situation.scopes()), situation)
        with _index_aside(world, checkout, learned) as aside:
            repository = _repo_of(aside.layout, name, work, checkout)
            allowed = without_forbidden(repository, (note.sentence for note in notes))
            lacks = "" if repository.tree.size() else _NO_CHECKOUT.format(name)
            branch = branch_of(str(checkout.root)) if checkout else ""
            return _answer(name, allowed, Question(task, branch), most, lacks)


def _work_of(db: apsw.Connection, world: World, repo: str, checkout: GitCheckout | None) -> PlaceIndex:
    """What was done in a repository, as hooks have it from the deck. Where the deck has nothing of it, or is from
    before its checkout came, went or was left out, it is gathered from the digests of its sessions and from git."""
    deck = deck_of(world)
    if deck is not None and not deck.is_of_another:
        work = PlaceIndex(deck.part(repo))
        if work.is_known and bool(deck.tree_of(repo)) == (checkout is not None):
            return work
    return places_of(
        (*map(sighting_of, _latest_digests(db, repo)), *history_sightings(checkout, world.now_ms)),
        redactor_of(world).text,
    )


def _latest_digests(db: apsw.Connection, repo: str) -> Iterator[Digest]:
    """The newest sessions of a repository, the oldest of them first."""
    from afterwit.digest.door import load_digest

    rows = list(select_sessions(db, Selection(repos=frozenset((repo,))))) if repo else []
    for row in rows[-MOST_SESSIONS:]:
        digest = load_digest(db, row)
        if digest is not None:
            yield digest


def _repo_of(layout: Layout, repo: str, work: PlaceIndex, checkout: GitCheckout | None) -> KnownRepo:
    """What was done in a repository, with the files of its checkout, if there is one."""
    if checkout is None:
        return KnownRepo(work)
    tree, root = _tree_of(layout, repo), checkout.root
    return KnownRepo(work, tree, lambda path: os.path.lexists(root / path)) if tree.size() else KnownRepo(work)


def _tree_of(layout: Layout, repo: str) -> KnownTree:
    """The files of a repository; none where they are not indexed."""
    path = layout.trees / tree_file(repo)
    if not path.is_file():
        return NO_TREE
    try:
        return TreeWords(opened_immutable(str(path)))
    except apsw.Error:
        return NO_TREE


def _checkout_at(world: World, folder: Path, repo: str) -> GitCheckout | None:
    """The checkout in which a folder lies, if it may be read."""
    root, git_dir = root_of_checkout(folder), own_git_folder_of(folder)
    if root is None or git_dir is None or not world.settings.repositories.read:
        return None
    return GitCheckout(repo, root, git_dir)


@contextmanager
def _index_aside(world: World, checkout: GitCheckout | None, learned: GitCheckout | None = None) -> Iterator[World]:
    """Where the files of a checkout are indexed: in the store, if it is the one that was learned; else aside as long
    as this is open, beginning with what the store has of another checkout."""
    index = world.layout.trees / tree_file(checkout.repo if checkout else "")
    if checkout is None or (checkout == learned and index.is_file()):
        yield world
        return
    with tempfile.TemporaryDirectory(prefix="afterwit-places-") as folder_aside:
        aside = world._replace(layout=Layout(Path(folder_aside)))
        if index.is_file():
            aside.layout.trees.mkdir(mode=0o700)
            shutil.copyfile(index, aside.layout.trees / index.name)
        update_checkout(aside.layout, checkout, redactor_of(aside))
        yield aside


def _of_folder(world: World, folder: Path, task: str, most: int) -> FoundPlaces:
    """What git alone says."""
    checkout = _checkout_at(world, folder, "")
    if checkout is None:
        return FoundPlaces("", (), NOTHING_KNOWN)
    with _index_aside(world, checkout) as aside:
        work = places_of(history_sightings(checkout, world.now_ms), redactor_of(aside).text)
        repository = _repo_of(aside.layout, "", work, checkout)
        lacks = _NO_SESSION if repository.tree.size() else NOTHING_KNOWN
        return _answer("", repository, Question(task, branch_of(str(checkout.root))), most, lacks)


def _answer(name: str, repo: KnownRepo, question: Question, most: int, lacks: str) -> FoundPlaces:
    """The files at which the task points, with reasons; what is changed whatever the task is answers nothing."""
    likely = guess(repo, question, most)
    rated = features(repo, question) if likely else {}
    meant = [place for place in likely if _is_meant(rated[place.path])]
    with_reasons = (
        FoundPlace(place, tuple(_reasons(repo, question, place.path, rated[place.path])))
        for place in with_tests(repo, meant)
    )
    return FoundPlaces(name, tuple(with_reasons), lacks)


def _is_meant(values: Features) -> bool:
    return bool(values.branch) or pointed(values) >= _LEAST_POINTED


def _reasons(repo: KnownRepo, question: Question, path: str, values: Features) -> Iterator[str]:
    """What speaks for a file, the weightiest first, as a person would say it."""
    if values.path or values.name:
        yield "the task names it"
    if values.branch:
        yield "changed on this branch"
    if said := ", ".join(_said_of(repo.tree, path, question.prompt)):
        yield f"the task says {said}"
    if values.alike >= 0.1:
        yield "work like this changed it"
    sessions = repo.work.sessions_of(path) if repo.work.knows(path) else 0
    if sessions:
        yield f"{sessions} session{'s' if sessions > 1 else ''} changed it"
    if values.last or values.recent:
        yield "changed by recent work"
    elif values.ever and not sessions:
        yield "changed often"


def _said_of(tree: KnownTree, path: str, prompt: str) -> Iterator[str]:
    """The rarest words of the task that a file has, and where."""
    prompt = without_addresses(prompt)
    words = list(dict.fromkeys(words_of(prompt)))
    tree.look_up(term for word in words for term in (word, PATH_MARK + word))
    rarest = sorted(words, key=lambda word: (max(len(tree.holders(word)), len(tree.holders(PATH_MARK + word))), word))
    placed = ((word, where) for word in rarest if (where := list(_where(tree, path, word))))
    for word, where in islice(placed, _MOST_WORDS):
        typed = re.search(rf"{word}[a-z]*", prompt, re.IGNORECASE)
        yield f"“{typed[0] if typed else word}” ({', '.join(where)})"


def _where(tree: KnownTree, path: str, word: str) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    if word in words_of(name):
        yield "file name"
    if word in words_of(folder):
        yield "folder"
    holders = tree.holders(word)
    number = next((number for number, other in tree.paths(list(holders)).items() if other == path), None)
    if number is not None:
        yield "stands out in its text" if holders[number] else "text"
