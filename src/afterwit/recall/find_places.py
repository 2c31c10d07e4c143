"""`afterwit places`: where a task's work is likely to be, and why.

Answers like a hook does at the first prompt, from sessions, commits and files; with reasons. A folder in which no
session was seen is answered from git alone: its files are indexed on the spot, for this question, and nothing of it is
kept.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from afterwit.checkouts.known import GitCheckout
from afterwit.config.world import World, redactor_of
from afterwit.model.errors import UsageError
from afterwit.recall.place_index import KnownTree, PlaceIndex
from afterwit.recall.places import Features, KnownRepo, LikelyPlace, Question, features, guess, with_tests
from afterwit.recall.recall import is_left_out, known_work, repo_at
from afterwit.recall.repository import branch_at, checkout_of, known_repo, put_history, update_checkout
from afterwit.sessions.filters import find_repo
from afterwit.sources.checkout import own_git_folder_of, root_of_checkout
from afterwit.store.layout import Layout
from afterwit.store.store import readonly_database, require
from afterwit.text.words import words_of

_MOST_WORDS = 3
_LEFT_OUT = "Nothing is told here: your settings leave it out. `afterwit config show` shows `learn.exclude`."


class FoundPlace(NamedTuple):
    place: LikelyPlace
    reasons: tuple[str, ...]


class FoundPlaces(NamedTuple):
    repo: str  # "" for a checkout in which no session was seen
    places: tuple[FoundPlace, ...]
    has_files: bool  # whether the repository's own files could be looked at


def find_places(world: World, folder: Path, repo: str | None, task: str, most: int) -> FoundPlaces:
    """The likeliest files for a task in a folder, or in a repository by its name."""
    if is_left_out(world, None if repo else folder, repo=repo or ""):
        raise UsageError(_LEFT_OUT)
    if repo:
        require(world.layout)
    if not world.layout.database.exists():
        return _of_folder(world, folder, task, most)
    with readonly_database(world.layout) as db:
        name = find_repo(db, repo, world.settings) if repo else repo_at(db, world, folder)
        if not name:
            return _of_folder(world, folder, task, most)
        if is_left_out(world, None, repo=name):
            raise UsageError(_LEFT_OUT)
        checkout = checkout_of(db, world, name)
        work = known_work(db, world, name, checkout)
        repository = known_repo(world.layout, name, work, checkout)
        return _found(name, repository, Question(task, branch_at(checkout)), most)


def _of_folder(world: World, folder: Path, task: str, most: int) -> FoundPlaces:
    """What git alone says."""
    root, git_dir = root_of_checkout(folder), own_git_folder_of(folder)
    if root is None or git_dir is None or not world.settings.repositories.read:
        return FoundPlaces("", (), has_files=False)
    checkout = GitCheckout("", root, git_dir)
    with tempfile.TemporaryDirectory(prefix="afterwit-places-") as folder_aside:
        aside = world._replace(layout=Layout(Path(folder_aside)))
        update_checkout(aside.layout, checkout, redactor_of(aside))
        work = PlaceIndex()
        put_history(work, aside, checkout)
        repository = known_repo(aside.layout, "", work, checkout)
        return _found("", repository, Question(task, branch_at(checkout)), most)


def _found(name: str, repo: KnownRepo, question: Question, most: int) -> FoundPlaces:
    places = with_tests(repo, guess(repo, question, most))
    rated = features(repo, question) if places else {}
    told = (FoundPlace(place, tuple(_reasons(repo, question, place.path, rated[place.path]))) for place in places)
    return FoundPlaces(name, tuple(told), has_files=bool(repo.tree.size()))


def _reasons(repo: KnownRepo, question: Question, path: str, values: Features) -> Iterator[str]:
    """What speaks for a file, the weightiest first, as a person would say it."""
    if values.path or values.name or values.stem:
        yield "the task names it"
    if values.branch:
        yield "changed on this branch"
    words = _words_in(repo.tree, path, question.prompt)
    if words:
        yield f"its text has {', '.join(words)}"
    if values.words:
        yield "words of the task are in its path"
    if values.alike >= 0.1:
        yield "work like this changed it"
    sessions = repo.work.sessions_of(path) if repo.work.knows(path) else 0
    if sessions:
        yield f"{sessions} session{'s' if sessions > 1 else ''} changed it"
    if values.last or values.recent:
        yield "changed lately"
    elif values.ever:
        yield "changed often"


def _words_in(tree: KnownTree, path: str, prompt: str) -> list[str]:
    """The rarest words of a prompt that a file holds."""
    words = list(dict.fromkeys(words_of(prompt)))
    tree.look_up(words)
    held = sorted((word for word in words if tree.holders(word)), key=lambda word: (len(tree.holders(word)), word))
    holding = (word for word in held if path in tree.paths(list(tree.holders(word))).values())
    return [f"“{word}”" for word, _ in zip(holding, range(_MOST_WORDS), strict=False)]
