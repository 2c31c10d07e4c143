"""What the repositories, and the agents' own memories, tell every session already.

Of files that are gone, or lie on another machine, what transcripts showed of them last counts.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from afterwit.agents.registry import instruction_files
from afterwit.checkouts.known import Checkout, hidden_home
from afterwit.config.world import World
from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.model.knowledge import Draft, Item, Scope, ScopeKind
from afterwit.sources.checkout import checkout_instructions, home_instructions, project_memory
from afterwit.store.rows import items, sightings
from afterwit.store.store import Store


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

    homes = (f"{hidden_home(store, world)}/", f"{world.user_home}/")
    texts: dict[str, dict[str, str]] = {}
    for repo, _, (path, text, is_whole) in parts.shown_files(store.db):
        own = next((home for home in homes if path.startswith(home)), "")
        if not own and (PurePosixPath(path).is_absolute() or not repo):
            continue
        named, below = texts.setdefault("" if own else repo, {}), path.removeprefix(own)
        named[below] = text if is_whole else f"{named.get(below, '')}\n\n{text}".strip()
    return texts


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


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return True
