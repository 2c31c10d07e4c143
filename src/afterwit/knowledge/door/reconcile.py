"""Shows what does not go together: instruction files with each other and with what was learned, and likely doubles.

The files of repositories that are on this machine and the agents' own memory files are read, and pairs of notes that a
model found to contradict each other. What contradicts what is said in `contradictions`. A note that a file denies is
not told to agents; which side is right is for people to say, and nothing is changed here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

import msgspec

from afterwit.capture.checkouts import checkouts
from afterwit.config.world import World
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.statements import salient
from afterwit.knowledge.contradictions import NamedCommand, are_rivals, claims_of, denial_of, opposition
from afterwit.knowledge.door.host_files import instructions
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.host_text import HostText, Passage
from afterwit.model.knowledge import Item, ItemStatus, ScopeKind
from afterwit.store.rows import items as rows
from afterwit.store.store import open_store, require

_HELD = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two sources: an item, or a line of a file."""

    text: str
    item: str = ""
    file: str = ""
    line: int = 0

    @property
    def name(self) -> str:
        return self.item or self.file


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
    with open_store(world.layout) as store:
        every = list(all_items(store.db))
        items = [item for item in every if item.status in _HELD]
        hosts = instructions(store, world, checkouts(store, world))
        pairs = rows.doubles(store.db)
    by_id = {item.id: item for item in items}
    everywhere = hosts.get("", {})
    clashes = contradictions(_items_in(items, ""), HostText.of(everywhere))
    shown = {(clash.one, clash.other) for clash in clashes}
    repos = {item.scope.name for item in items if item.scope.kind is ScopeKind.REPO}
    for repo in sorted((hosts.keys() | repos) - {""}):
        own = contradictions(_items_in(items, repo), HostText.of(everywhere | hosts.get(repo, {})), repo)
        clashes += [clash for clash in own if (clash.one, clash.other) not in shown]
    clashes += _opposites(every, by_id)
    return Reconciliation(
        files=len({path for named in hosts.values() for path in named}),
        clashes=clashes,
        doubles=[
            Double(one=_of_item(by_id[first]), other=_of_item(by_id[second]))
            for first, second in pairs
            if first in by_id and second in by_id
        ],
    )


def _opposites(items: Iterable[Item], held: Mapping[str, Item]) -> Iterator[Clash]:
    """Notes that were found to contradict each other while their repository's notes were settled, and what waits
    because it would replace the words of a person."""
    for item in sorted(items, key=lambda item: item.id):
        is_waiting = item.status is ItemStatus.QUARANTINED
        names = item.supersedes if is_waiting else [name for name in item.contradicts if item.id < name]
        for other in (held[name] for name in names if name in held and (is_waiting or item.id in held)):
            about = " ".join(sorted(salient(item.sentence) & salient(other.sentence))) or "one matter"
            pair = (other, item) if is_waiting else (item, other)
            yield Clash(repo=item.scope.name, about=about, one=_of_item(pair[0]), other=_of_item(pair[1]))


def _items_in(items: list[Item], repo: str) -> list[Item]:
    """What holds in a repository; "": what holds everywhere."""
    return [
        item
        for item in items
        if item.scope.kind is ScopeKind.GLOBAL or (item.scope.kind is ScopeKind.REPO and item.scope.name == repo)
    ]


def _of_item(item: Item) -> Side:
    return Side(text=item.sentence, item=item.id)


def contradictions(items: Sequence[Item], host: HostText, repo: str = "") -> list[Clash]:
    """Pairs of sources that cannot both be followed, in a stable order: what the hosts' files deny of the notes, which
    no agent is told, and what the files say against each other."""
    clashes = {*_of_items(items, host, repo), *_of_commands(host, repo), *_of_rules(host, repo)}
    return sorted(clashes, key=lambda clash: (clash.about, _order(clash.one), _order(clash.other)))


def _of_items(items: Iterable[Item], host: HostText, repo: str) -> Iterator[Clash]:
    for item in items:
        denial = denial_of(item, host)
        if denial is not None:
            yield Clash(repo=repo, about=denial.about, one=_of_item(item), other=_of_passage(denial.passage))


def _of_commands(host: HostText, repo: str) -> Iterator[Clash]:
    """Two files of which each names a command for a purpose that is a rival of the other's."""
    by_purpose: defaultdict[Purpose, defaultdict[str, list[tuple[NamedCommand, Passage]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for passage, claim in claims_of(host):
        for command in claim.commands:
            by_purpose[command.purpose][passage.path].append((command, passage))
    for purpose, by_file in by_purpose.items():
        for ours, theirs in combinations([by_file[path] for path in sorted(by_file)], 2):
            is_same = {command.program for command, _ in ours} & {command.program for command, _ in theirs}
            pairs = product(ours, theirs)
            rivals = ((said, denied) for (first, said), (second, denied) in pairs if are_rivals(first, second))
            if not is_same and (pair := next(rivals, None)):
                yield Clash(
                    repo=repo,
                    about=f"the command for {purpose}",
                    one=_of_passage(pair[0]),
                    other=_of_passage(pair[1]),
                )


def _of_rules(host: HostText, repo: str) -> Iterator[Clash]:
    claims = [(passage, claim) for passage, claim in claims_of(host) if claim.words or claim.refused]
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for at, (passage, claim) in enumerate(claims):
        words = claim.words | salient(claim.text)
        for near in sorted({earlier for word in words for earlier in by_word[word]}):
            other, others = claims[near]
            if about := opposition(others, claim):
                yield Clash(repo=repo, about=about, one=_of_passage(other), other=_of_passage(passage))
        for word in words:
            by_word[word].append(at)


def _of_passage(passage: Passage) -> Side:
    return Side(text=passage.text, file=passage.path, line=passage.line)


def _order(side: Side) -> tuple[str, str, int]:
    return side.name, side.text, side.line
