"""What the checkouts on this machine tell: which instructions every session gets already, and what is gone.

The door between `gone`, which knows what an item relies on, and `capture.missing`, which looks. Of
instruction files, and the agents' own memories, that are gone or lie on another machine, what transcripts showed of
them last counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from afterwit.actions.shell.project_calls import ProjectCall
from afterwit.agents.registry import instruction_files
from afterwit.capture.checkouts import (
    Checkout,
    StoreRows,
    Watched,
    every_checkout,
    first_checkouts,
    readable_checkouts,
    redacted_home,
)
from afterwit.capture.missing import NamedSubjects, find_missing, watch_subjects
from afterwit.config.world import World
from afterwit.knowledge.gone import GoneSubjects, ReliantItem, reliance_of
from afterwit.model.knowledge import Channel, ItemStatus, Scope, ScopeKind, Trigger
from afterwit.redaction.markers import PLACEHOLDER
from afterwit.sources.checkout import checkout_instructions, home_instructions, project_memory
from afterwit.store.rows import items, sightings
from afterwit.store.store import Store


class _Named(msgspec.Struct, frozen=True):
    """Of a draft or an item, what says on what it relies."""

    scope: Scope
    sentence: str
    harvester: str
    channel: Channel
    files: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    advice: str = ""


def subjects_named(store: Store, places: Iterable[Checkout]) -> dict[str, NamedSubjects]:
    """What drafts and items rely on, by repository, of those with a checkout: people name files that no draft has."""
    decode = msgspec.msgpack.Decoder(_Named).decode
    scopes = sorted({str(Scope(ScopeKind.REPO, place.repo)) for place in places})
    drafts, settled = sightings.drafts_in(store.db, scopes), items.items_in(store.db, scopes, ItemStatus)
    return subjects_of(decode(row.body) for rows in (drafts, settled) for row in rows)


def subjects_of(things: Iterable[ReliantItem]) -> dict[str, NamedSubjects]:
    """The same, of these. A path that was redacted cannot be looked for."""
    files: defaultdict[str, set[str]] = defaultdict(set)
    calls: defaultdict[str, set[ProjectCall]] = defaultdict(set)
    for thing in things:
        reliance = reliance_of(thing)
        paths = (*reliance.files, *reliance.paths)
        files[thing.scope.name].update(path for path in paths if not PLACEHOLDER.search(path))
        calls[thing.scope.name] |= reliance.calls
    return {
        repo: NamedSubjects(frozenset(paths), frozenset(calls[repo]))
        for repo, paths in files.items()
        if paths or calls[repo]
    }


def find_gone(
    world: World, places: list[Checkout], named: Mapping[str, NamedSubjects], versions: Mapping[str, str]
) -> GoneSubjects:
    """What of it is gone. `versions` are those that agents ran with last."""
    missing = find_missing(places, named, readable_checkouts(world, places))
    return GoneSubjects(
        files={repo: lost.files for repo, lost in missing.items()},
        versions=versions,
        calls={repo: lost.calls for repo, lost in missing.items()},
    )


def subjects_to_watch(store: Store, world: World) -> dict[str, Watched]:
    """What to keep an eye on from now on, of the repositories that have a checkout here."""
    places = every_checkout(store, world)
    named = subjects_named(store, places)
    missing = find_missing(places, named, readable_checkouts(world, places))
    return {repo: watch_subjects(named[repo], lost) for repo, lost in missing.items()}


def instructions(store: StoreRows, world: World, places: list[Checkout]) -> dict[str, dict[str, str]]:
    """Texts by path, by repository; under "" those that every session gets. Files on this machine stand before what
    transcripts showed of them."""
    texts = _instructions_shown(store, world)
    for repo, named in present(world, places):
        texts.setdefault(repo, {}).update(named)
    return {repo: named for repo, named in texts.items() if named}


def present(world: World, places: list[Checkout]) -> Iterator[tuple[str, dict[str, str]]]:
    """Those of them that are files on this machine, by repository."""
    files = instruction_files()
    yield "", home_instructions(world.user_home, files)
    for repo, root in first_checkouts(places):
        yield repo, checkout_instructions(root, files) | project_memory(world.user_home, root, files)


def _instructions_shown(store: StoreRows, world: World) -> dict[str, dict[str, str]]:
    """What transcripts showed last: of each file its latest state, with the pieces that were seen later."""
    from afterwit.store.rows import parts

    homes = (f"{redacted_home(store, world)}/", f"{world.user_home}/")
    texts: dict[str, dict[str, str]] = {}
    for repo, _, (path, text, is_whole) in parts.instructions_shown(store.db):
        own = next((home for home in homes if path.startswith(home)), "")
        if not own and (PurePosixPath(path).is_absolute() or not repo):
            continue
        named, below = texts.setdefault("" if own else repo, {}), path.removeprefix(own)
        named[below] = text if is_whole else f"{named.get(below, '')}\n\n{text}".strip()
    return texts
