"""Which checkouts of known repositories are on this machine.

Sessions ran in folders; those that are still there are looked at, and those that the settings name for a repository
come first; the last part of its name is enough. Repositories are known by redacted paths; those below the user's home
folder can be found again, because the home folder is known. A repository that is left out, or all of them
(`repositories.read = false`), is not looked at. Loads nothing that only a run needs.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import apsw

from afterwit.config.world import World, exclusion_of
from afterwit.redaction.markers import placeholder
from afterwit.sources.checkout import (
    own_git_folder_of,
    root_of_checkout,
    worktrees_beside,
)
from afterwit.store.rows import repos

MOST_READ = 4  # checkouts of one repository whose files are read
_MOST_ROOTS = 32  # that are asked whether they have a file


class StoreRows(Protocol):
    """A store, as far as it is looked at here."""

    @property
    def db(self) -> apsw.Connection: ...
    @property
    def key(self) -> bytes: ...


class OpenedRows(NamedTuple):
    """A store that is open for reading alone."""

    db: apsw.Connection
    key: bytes


class Checkout(NamedTuple):
    repo: str
    root: Path


class GitCheckout(NamedTuple):
    """A checkout whose history and tree may be read."""

    repo: str
    root: Path
    git_dir: Path


def checkouts(store: StoreRows, world: World) -> list[Checkout]:
    """The checkouts of known repositories that are on this machine."""
    named = checkouts_in_settings(store.db, world)
    by_repo: dict[str, list[Path]] = {repo: [root] for repo, root in named.items() if _is_folder(str(root))}
    for row in repos.repo_rows(store.db):
        place = folder_here(store, world, row.root)
        roots = by_repo.setdefault(row.repo, [])
        if row.repo and len(roots) < _MOST_ROOTS and _is_folder(place) and (root := Path(place)) not in roots:
            roots.append(root)
    return [Checkout(repo, root) for repo, roots in by_repo.items() for root in roots]


def checkouts_in_settings(db: apsw.Connection, world: World) -> dict[str, Path]:
    """Those that the settings name, by the whole names of their repositories, where sessions of one are known."""
    named = world.settings.repositories.checkouts
    repo_names = {row.repo for row in repos.repo_rows(db)} if named else set()
    return {_whole_name(repo_names, name): root for name, root in named.items()}


def _whole_name(repo_names: Collection[str], name: str) -> str:
    ending = [repo for repo in repo_names if repo.endswith(f"/{name}")]
    return ending[0] if name not in repo_names and len(ending) == 1 else name


def first_checkouts(places: Iterable[Checkout]) -> list[Checkout]:
    """Of each repository as many as are read."""
    counted: Counter[str] = Counter()
    first: list[Checkout] = []
    for place in places:
        counted[place.repo] += 1
        if counted[place.repo] <= MOST_READ:
            first.append(place)
    return first


def readable_checkouts(world: World, places: Iterable[Checkout]) -> list[Checkout]:
    """Those of them whose trees and histories the settings let be read."""
    if not world.settings.repositories.read:
        return []
    if not world.settings.learn.exclude:
        return list(places)
    exclusion = exclusion_of(world)
    return [place for place in places if not (exclusion.has_repo(place.repo) or exclusion.has_folder(str(place.root)))]


def every_checkout(store: StoreRows, world: World, places: Sequence[Checkout] | None = None) -> list[Checkout]:
    """The same, with the work trees that git has linked to them, although no session ran there. Who knows the checkouts
    already gives them."""
    places = checkouts(store, world) if places is None else places
    linked: dict[Checkout, None] = {}
    for place in readable_checkouts(world, places):
        if place not in linked:  # all of a family know each other
            linked |= dict.fromkeys(Checkout(place.repo, beside) for beside in worktrees_beside(place.root))
    return list(dict.fromkeys((*places, *linked)))


def git_checkouts(store: StoreRows, world: World, places: Sequence[Checkout] | None = None) -> list[GitCheckout]:
    """Of each repository the first checkout that git can read, unless the settings forbid it. A folder inside one is
    none: what git says has other paths than what sessions there say."""
    places = checkouts(store, world) if places is None else places
    readable: dict[str, GitCheckout] = {}
    for repo, root in readable_checkouts(world, first_checkouts(places)):
        git_dir = None if repo in readable or root_of_checkout(root) != root else own_git_folder_of(root)
        if git_dir is not None:
            readable[repo] = GitCheckout(repo, root, git_dir)
    return list(readable.values())


def folder_here(store: StoreRows, world: World, root: str) -> str:
    """A stored folder as this machine has it: with the user's home where its name was taken out, or `~` stands."""
    begins = (begin for begin in (redacted_home(store, world), "~") if root.startswith(f"{begin}/"))
    begin = next(begins, "")
    return str(world.user_home) + root[len(begin) :] if begin else root


def redacted_home(store: StoreRows, world: World) -> str:
    """The user's home folder as redacted paths have it."""
    return _redact_home(world.user_home, store.key)


@cache
def _redact_home(home: Path, key: bytes) -> str:
    return str(home.parent / placeholder("user", home.name, key))


def _is_folder(place: str) -> bool:
    """Asked of every place where a session ever ran, so without a `Path`."""
    return os.path.isabs(place) and os.path.isdir(place)  # noqa: PTH112, PTH117


def roots_of(places: Iterable[Checkout]) -> dict[str, list[Path]]:
    """The checkouts of each repository."""
    roots: dict[str, list[Path]] = {}
    for repo, root in places:
        roots.setdefault(repo, []).append(root)
    return roots
