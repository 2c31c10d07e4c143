"""Items as people look at them: listed by what they ask for, found by words, one by its id."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from afterwit.config.world import World
from afterwit.knowledge.items import all_items, find_item, search_items
from afterwit.model.knowledge import Item, ItemStatus, ScopeKind
from afterwit.sessions.filters import fits_repo, refuse_unknown_repos
from afterwit.store.store import readonly_database

_MOST_FOUND = 500


class ItemFilter(NamedTuple):
    """Empty means all. Several of a kind: any of them."""

    statuses: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()  # whole names, last parts, or patterns of either
    agents: tuple[str, ...] = ()
    harvesters: tuple[str, ...] = ()
    is_global: bool = False  # only what holds everywhere
    confidence: float = 0.0  # at least

    def fits(self, item: Item) -> bool:
        return (
            item.confidence >= self.confidence
            and (not self.statuses or item.status in self.statuses)
            and (not self.categories or item.category in self.categories)
            and (not self.harvesters or item.harvester in self.harvesters)
            and self._fits_scope(item)
        )

    def _fits_scope(self, item: Item) -> bool:
        if not (self.repos or self.agents or self.is_global):
            return True
        kind, name = item.scope
        if kind is ScopeKind.GLOBAL:
            return self.is_global
        if kind is ScopeKind.AGENT:
            return name in self.agents
        return fits_repo(name, self.repos)


class ItemListing(NamedTuple):
    """Some of what fits, and how much there is."""

    items: list[Item]
    found: int
    by_status: dict[str, int]  # of all items, whatever was asked for


def listed(world: World, wanted: ItemFilter, limit: int = 0) -> ItemListing:
    """The most believed first. A limit of 0: all. A repository that nobody knows is an error."""
    with readonly_database(world.layout) as db:
        refuse_unknown_repos(db, wanted.repos)
        every = list(all_items(db))
    return _listing(every, wanted, limit)


def searched(world: World, text: str, wanted: ItemFilter, limit: int = 0) -> ItemListing:
    """Items with all of these words, best first."""
    with readonly_database(world.layout) as db:
        refuse_unknown_repos(db, wanted.repos)
        found = search_items(db, text, _MOST_FOUND)
    return _listing(found, wanted, limit)


def shown(world: World, name: str) -> Item:
    with readonly_database(world.layout) as db:
        return find_item(db, name)


def _listing(every: Sequence[Item], wanted: ItemFilter, limit: int) -> ItemListing:
    found = [item for item in every if wanted.fits(item)]
    return ItemListing(found[:limit] if limit else found, len(found), _by_status(every))


def _by_status(items: Iterable[Item]) -> dict[str, int]:
    counted = Counter(item.status for item in items)
    return {str(status): counted[status] for status in ItemStatus if counted[status]}
