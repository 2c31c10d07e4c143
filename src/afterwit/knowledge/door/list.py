"""Items as people look at them: listed, searched, one by its id; and what the gate kept out, by reason."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.knowledge.door.listeners import names_in_store
from afterwit.knowledge.gate import Rejection
from afterwit.knowledge.whose_words import speakers
from afterwit.model.errors import UsageError, ask_which, nearest_ids
from afterwit.model.knowledge import Channel, Item, ItemStatus, ScopeKind
from afterwit.sessions.filters import fits_repo, one_line, refuse_unknown_repos
from afterwit.store.marks import in_use_since
from afterwit.store.rows import items
from afterwit.store.rows import items as rows
from afterwit.store.rows.items import ItemHead, ItemRow, RejectionRow
from afterwit.store.store import readonly_database

_MOST_CANDIDATES = 12
_MOST_NEAR = 3
_ALL_ITEMS = "`afterwit knowledge list` shows what there is."
_LONGEST = 60
_DECODER = msgspec.msgpack.Decoder(Item)
_MOST_FOUND = 500


class RejectedDrafts(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate kept out for one reason."""

    reason: str
    why: str
    count: int
    samples: list[dict[str, str]]


class _Said(msgspec.Struct, frozen=True):
    """What of an item is read where only its origin is asked for."""

    channel: Channel


_ORIGIN = msgspec.msgpack.Decoder(_Said)


class ItemFilter(NamedTuple):
    """Empty means all. Several of a kind: any of them."""

    statuses: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()  # whole names, last parts, or patterns of either
    agents: tuple[str, ...] = ()
    harvesters: tuple[str, ...] = ()
    is_global: bool = False  # only what holds everywhere
    confidence: float = 0.0  # at least
    channels: tuple[str, ...] = ()  # that its words came by
    users: tuple[str, ...] = ()  # whose words it is

    def fits(self, item: Item) -> bool:
        return (
            self.fits_head(item)
            and (not self.channels or item.channel in self.channels)
            and (not self.users or not speakers(item).isdisjoint(self.users))
        )

    def fits_head(self, item: Item | ItemHead) -> bool:
        """As far as that can be said without a look at what it says."""
        return (
            item.confidence >= self.confidence
            and (not self.statuses or item.status in self.statuses)
            and (not self.categories or item.category in self.categories)
            and (not self.harvesters or item.harvester in self.harvesters)
            and self._fits_scope(str(item.scope))
        )

    def _fits_scope(self, scope: str) -> bool:
        if not (self.repos or self.agents or self.is_global):
            return True
        kind, _, name = scope.partition(":")
        if kind == ScopeKind.GLOBAL:
            return self.is_global
        if kind == ScopeKind.AGENT:
            return name in self.agents
        return fits_repo(name, self.repos)


class ItemListing(NamedTuple):
    """Some of what fits, and how much there is."""

    items: list[Item]
    total: int
    by_status: dict[str, int]  # of all items, or of those with the words; whatever else was asked for


def listed(world: World, wanted: ItemFilter, limit: int = 0, *, skipped: int = 0) -> ItemListing:
    """The most believed first, without as many as are skipped. A limit of 0: all. A repository that nobody knows is an
    error. Only what is listed is read whole."""
    with readonly_database(world.layout) as db:
        wanted = resolve_filter(db, world, wanted)
        heads = items.item_heads(db)
        fitting = [head.id for head in heads if wanted.fits_head(head)]
        if wanted.users:
            whole = map(item_in, items.items_with_ids(db, fitting))
            fitting = [item.id for item in whole if wanted.fits(item)]
        elif wanted.channels:
            fitting = [
                row.id
                for row in items.items_with_ids(db, fitting)
                if _ORIGIN.decode(row.body).channel in wanted.channels
            ]
        chosen = fitting[skipped : skipped + limit if limit else None]
        shown = [item_in(row) for row in items.items_with_ids(db, chosen)]
    return ItemListing(shown, len(fitting), _by_status(head.status for head in heads))


def searched(world: World, text: str, wanted: ItemFilter, limit: int = 0, *, skipped: int = 0) -> ItemListing:
    """Items with all of these words, best first, without as many as are skipped."""
    with readonly_database(world.layout) as db:
        wanted = resolve_filter(db, world, wanted)
        matching = search_items(db, text, _MOST_FOUND)
    fitting = [item for item in matching if wanted.fits(item)]
    chosen = fitting[skipped : skipped + limit if limit else None]
    return ItemListing(chosen, len(fitting), _by_status(item.status for item in matching))


def makers(world: World) -> list[str]:
    """The harvesters, and who else made items, by name."""
    with readonly_database(world.layout) as db:
        return sorted({head.harvester for head in items.item_heads(db)})


def new_items(world: World, since_ms: int) -> list[Item]:
    """Items that came into use since then, the most believed first: also those that no run has noted yet."""
    with readonly_database(world.layout) as db:
        noted = in_use_since(db)
        active = items.ids_with_status(db, ItemStatus.ACTIVE) if noted is not None else ()
        new = [name for name in active if (noted or {}).get(name, since_ms) >= since_ms]
        return [item_in(row) for row in items.items_with_ids(db, new)]


def items_in_conflict(world: World, wanted: ItemFilter) -> list[Item]:
    """Items that fit and say the opposite of others, the most believed first."""
    with readonly_database(world.layout) as db:
        named = map(item_in, items.items_with_ids(db, items.items_naming_opposites(db)))
        return [item for item in named if item.contradicts and wanted.fits(item)]


def resolve_filter(db: apsw.Connection, world: World, wanted: ItemFilter) -> ItemFilter:
    """With users as they are stored. A repository or a user that nobody knows is an error."""
    refuse_unknown_repos(db, wanted.repos)
    return wanted._replace(users=names_in_store(db, world, wanted.users))


def shown(world: World, name: str) -> Item:
    with readonly_database(world.layout) as db:
        return find_item(db, name)


def sentences(world: World, ids: Iterable[str]) -> dict[str, str]:
    """What these items say, as far as they are still there."""
    with readonly_database(world.layout) as db:
        return {row.id: item_in(row).sentence for row in items.items_with_ids(db, ids)}


def _by_status(statuses: Iterable[str]) -> dict[str, int]:
    counted = Counter(statuses)
    return {str(status): counted[status] for status in ItemStatus if counted[status]}


def rejected(world: World, reason: str = "", samples: int = 3) -> list[RejectedDrafts]:
    """What the gate kept out, by reason, the most frequent first. 0 samples: all."""
    with readonly_database(world.layout) as db:
        rejections = [row for row in rows.rejections(db) if not reason or row.reason == reason]
    refused = [
        _refusals_for(name, list(same), samples) for name, same in groupby(rejections, key=lambda row: row.reason)
    ]
    return sorted(refused, key=lambda drafts: (-drafts.count, drafts.reason))


def _refusals_for(reason: str, same: list[RejectionRow], samples: int) -> RejectedDrafts:
    """The first rows are as good a sample as any: they are in order of their ids, which say nothing."""
    shown = same[:samples] if samples else same
    return RejectedDrafts(
        reason=reason,
        why=Rejection(reason).words if reason in frozenset(Rejection) else "",
        count=len(same),
        samples=[{"fact": row.sentence, "harvester": row.harvester, "scope": row.scope} for row in shown],
    )


def item_row(item: Item) -> ItemRow:
    return ItemRow(
        item.id,
        str(item.scope),
        item.category,
        item.harvester,
        item.status,
        item.confidence,
        item.last_ms,
        msgspec.msgpack.encode(item),
    )


def item_in(row: ItemRow) -> Item:
    return _DECODER.decode(row.body)


def all_items(db: apsw.Connection) -> Iterator[Item]:
    """All items, the most believed first."""
    return map(item_in, items.all_items(db))


def find_item(db: apsw.Connection, name: str, *, names_only: bool = False) -> Item:
    """The one item with this id, or whose id begins so. Where there are several, the refusal lists them; `names_only`
    without what they say, for agents, to whom no item is told by the way."""
    rows = items.items_named(db, name, _MOST_CANDIDATES) if name else []
    if len(rows) == 1:
        return item_in(rows[0])
    if not rows:
        near = ask_which(nearest_ids(name, items.item_ids(db), _MOST_NEAR))
        raise UsageError(" ".join(filter(None, (f"No note {name!r}.", near, _ALL_ITEMS))))
    shown = "\n".join(f"  {row.id}" if names_only else f"  {row.id}  {_sentence_of(row)}" for row in rows)
    more = "\n  …" if len(rows) == _MOST_CANDIDATES else ""
    raise UsageError(f"Several notes begin with {name!r}; give more of the id:\n{shown}{more}")


def _sentence_of(row: ItemRow) -> str:
    return one_line(item_in(row).sentence, _LONGEST)


def search_items(db: apsw.Connection, text: str, limit: int = 20) -> list[Item]:
    """Items with these words, best first."""
    words = ['"' + word.replace('"', '""') + '"' for word in text.split()]
    return [item_in(row) for row in items.items_with_words(db, " ".join(words), limit)] if words else []
