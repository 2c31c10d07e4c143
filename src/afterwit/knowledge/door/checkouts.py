"""What of the things that items rely on is gone from the checkouts on this machine.

The door between `gone`, which knows what an item relies on, and `capture.missing`, which looks.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from afterwit.actions.shell.project_calls import ProjectCall
from afterwit.capture.checkouts import (
    Checkout,
    readable_checkouts,
)
from afterwit.capture.missing import NamedSubjects, find_missing
from afterwit.config.world import World
from afterwit.knowledge.gone import GoneSubjects, ReliantItem, reliance_of
from afterwit.model.knowledge import Channel, ItemStatus, Scope, ScopeKind, Trigger
from afterwit.redaction.markers import PLACEHOLDER
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
