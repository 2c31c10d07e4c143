"""Shows what does not go together: instruction files with each other and with what was learned, and likely doubles.

The files of repositories that are on this machine and the agents' own memory files are read. Nothing is changed: which
side is right is for people to say.
"""

import msgspec

from afterwit.config.world import World
from afterwit.knowledge.contradictions import Contradiction, Source, contradictions
from afterwit.knowledge.host_files import checkouts, instructions
from afterwit.knowledge.host_text import HostText
from afterwit.knowledge.items import all_items
from afterwit.model.knowledge import Item, ItemStatus, ScopeKind
from afterwit.store.rows import items as rows
from afterwit.store.store import opened, require

_HELD = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two sources: an item, or a line of a file."""

    text: str
    item: str = ""
    file: str = ""
    line: int = 0


class Clash(msgspec.Struct, frozen=True, kw_only=True):
    """Two sources that cannot both be followed."""

    repo: str  # "": everywhere
    about: str
    one: Side
    other: Side


class Double(msgspec.Struct, frozen=True, kw_only=True):
    """Two items that may say the same."""

    one: Side
    other: Side


class Reconciliation(msgspec.Struct, frozen=True, kw_only=True):
    files: int  # that were read
    clashes: list[Clash]
    doubles: list[Double]


def reconcile(world: World) -> Reconciliation:
    require(world.layout)
    with opened(world.layout) as store:
        items = [item for item in all_items(store.db) if item.status in _HELD]
        hosts = instructions(store, world, checkouts(store, world))
        pairs = rows.doubles(store.db)
    by_id = {item.id: item for item in items}
    everywhere = hosts.get("", {})
    clashes = [
        _clash("", contradiction) for contradiction in contradictions(_holding(items, ""), HostText.of(everywhere))
    ]
    seen = {(clash.one, clash.other) for clash in clashes}
    for repo in sorted(hosts.keys() - {""}):
        host = HostText.of(everywhere | hosts[repo])
        found = [_clash(repo, contradiction) for contradiction in contradictions(_holding(items, repo), host)]
        clashes += [clash for clash in found if (clash.one, clash.other) not in seen]
    return Reconciliation(
        files=len({path for named in hosts.values() for path in named}),
        clashes=clashes,
        doubles=[
            Double(one=_of_item(by_id[one]), other=_of_item(by_id[other]))
            for one, other in pairs
            if one in by_id and other in by_id
        ],
    )


def _holding(items: list[Item], repo: str) -> list[Item]:
    """What holds in a repository; "": what holds everywhere."""
    return [
        item
        for item in items
        if item.scope.kind is ScopeKind.GLOBAL or (item.scope.kind is ScopeKind.REPO and item.scope.name == repo)
    ]


def _clash(repo: str, found: Contradiction) -> Clash:
    return Clash(repo=repo, about=found.about, one=_side(found.one), other=_side(found.other))


def _side(source: Source) -> Side:
    if source.line:
        return Side(text=source.text, file=source.name, line=source.line)
    return Side(text=source.text, item=source.name)


def _of_item(item: Item) -> Side:
    return Side(text=item.sentence, item=item.id)
