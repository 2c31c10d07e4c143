"""What the repositories, and the agents' own memories, tell every session already.

Repositories are known by redacted paths; those below the user's home folder can be found again, because the home folder
is known. Of files that are gone, or lie on another machine, what transcripts showed of them last counts.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from afterwit.agents.registry import instruction_files
from afterwit.config.world import World
from afterwit.guard.placeholders import PLACEHOLDER, placeholder
from afterwit.model.knowledge import Draft, Item, Scope, ScopeKind
from afterwit.sources.checkout import checkout_instructions, home_instructions, project_memory
from afterwit.store.rows import items, repos, sightings
from afterwit.store.store import Store

_MOST_ROOTS = 4  # checkouts of one repository that are looked at


class Checkout(NamedTuple):
    repo: str
    root: Path


def checkouts(store: Store, world: World) -> list[Checkout]:
    """The checkouts of known repositories that are on this machine."""
    by_repo: dict[str, list[Path]] = {}
    for row in repos.repo_rows(store.db):
        place = folder_here(store, world, row.root)
        roots = by_repo.setdefault(row.repo, [])
        if row.repo and len(roots) < _MOST_ROOTS and _is_folder(place) and (root := Path(place)) not in roots:
            roots.append(root)
    return [Checkout(repo, root) for repo, roots in by_repo.items() for root in roots]


def folder_here(store: Store, world: World, root: str) -> str:
    """A stored folder as this machine has it: with the user's home where its name was taken out, or `~` stands."""
    begins = (begin for begin in (_hidden_home(store, world), "~") if root.startswith(f"{begin}/"))
    begin = next(begins, "")
    return str(world.user_home) + root[len(begin) :] if begin else root


def instructions(store: Store, world: World, places: list[Checkout]) -> dict[str, dict[str, str]]:
    """Texts by path, by repository; under "" those that every session gets. Files on this machine stand before what
    transcripts showed of them."""
    texts = _shown(store, world)
    for repo, named in present(world, places):
        texts.setdefault(repo, {}).update(named)
    return {repo: named for repo, named in texts.items() if named}


def present(world: World, places: list[Checkout]) -> Iterator[tuple[str, dict[str, str]]]:
    """Those of them that are files on this machine, by repository."""
    files = instruction_files()
    yield "", home_instructions(world.user_home, files)
    for repo, root in places:
        yield repo, checkout_instructions(root, files) | project_memory(world.user_home, root, files)


def _shown(store: Store, world: World) -> dict[str, dict[str, str]]:
    """What transcripts showed last: of each file its latest state, with the pieces that were seen later."""
    from afterwit.store.rows import parts

    homes = (f"{_hidden_home(store, world)}/", f"{world.user_home}/")
    texts: dict[str, dict[str, str]] = {}
    for repo, _, (path, text, is_whole) in parts.shown_files(store.db):
        own = next((home for home in homes if path.startswith(home)), "")
        if not own and (PurePosixPath(path).is_absolute() or not repo):
            continue
        named, below = texts.setdefault("" if own else repo, {}), path.removeprefix(own)
        named[below] = text if is_whole else f"{named.get(below, '')}\n\n{text}".strip()
    return texts


def _hidden_home(store: Store, world: World) -> str:
    """The user's home folder as redacted paths have it."""
    home = world.user_home
    return str(home.parent / placeholder("user", home.name, store.key))


class _Named(msgspec.Struct, frozen=True):
    """Of a draft or an item, what it speaks of."""

    scope: Scope
    files: tuple[str, ...] = ()


def named_files(store: Store) -> dict[str, set[str]]:
    """The files that drafts and items speak of, by repository: people name files that no draft has."""
    decode = msgspec.msgpack.Decoder(_Named).decode
    bodies = (row.body for rows in (sightings.all_drafts(store.db), items.all_items(store.db)) for row in rows)
    return files_of(map(decode, bodies))


def files_of(things: Iterable[_Named | Draft | Item]) -> dict[str, set[str]]:
    """The same, of these. A path that was redacted cannot be looked for."""
    named: dict[str, set[str]] = {}
    for thing in things:
        if thing.files and thing.scope.kind is ScopeKind.REPO:
            named.setdefault(thing.scope.name, set()).update(
                path for path in thing.files if not PLACEHOLDER.search(path)
            )
    return named


def missing_files(places: list[Checkout], named: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    """Of the files that are named of each repository, those that no checkout of it on this machine has."""
    roots: dict[str, list[Path]] = {}
    for repo, root in places:
        roots.setdefault(repo, []).append(root)
    return {
        repo: frozenset(path for path in paths if not any(_exists(root / path) for root in roots[repo]))
        for repo, paths in named.items()
        if repo in roots
    }


def _is_folder(place: str) -> bool:
    """Asked of every place where a session ever ran, so without a `Path`."""
    return os.path.isabs(place) and os.path.isdir(place)  # noqa: PTH112, PTH117


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return True
