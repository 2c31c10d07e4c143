"""Of notes that say nearly the same, the one that is told. The others stay what they are, and stand behind it.

Models that read many sessions write down the same thing many times, in other words each time. Until somebody settles
which of them are one, a session is told the best: what a person decided or what was counted before what was read, then
what spares most. It speaks wherever any of the others would have, and counts the sessions of all. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log

import msgspec

from afterwit.knowledge.shown_items import may_be_told_to
from afterwit.knowledge.whose_words import Listener
from afterwit.model.knowledge import READ, Item, ItemStatus, Scope
from afterwit.model.text import words_of
from afterwit.recall.situation import per_token

_ALIKE = 0.42  # of what the shorter note says, by words that few others hold
_ALIKE_COUNTED = 0.6  # the same, where the other was counted: its sentence is short and of a fixed form
_MOST_TRIGGERS = 24


def told_once(items: Iterable[Item], to: Listener) -> list[Item]:
    """The items that may be told to this listener, without those that another says already."""
    items = [item for item in items if may_be_told_to(item, to)]
    by_place: defaultdict[tuple[Scope, tuple[str, ...]], list[Item]] = defaultdict(list)
    for item in items:
        if item.status is ItemStatus.ACTIVE:
            by_place[item.scope, item.agents].append(item)
    spoken = {item.id: item for several in by_place.values() for item in _without_doubles(several)}
    return [spoken.get(item.id, item) for item in items if item.status is not ItemStatus.ACTIVE or item.id in spoken]


def _without_doubles(items: Sequence[Item]) -> Iterator[Item]:
    if not any(item.harvester == READ for item in items):
        yield from items
        return
    words = {item.id: frozenset(words_of(item.sentence)) for item in items}
    counts = Counter(word for bag in words.values() for word in bag)
    tells = {word: log(1 + len(items) / count) for word, count in counts.items()}
    whole = {name: sum(tells[word] for word in bag) for name, bag in words.items()}
    groups: list[list[Item]] = []
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for item in sorted(items, key=_precedence):
        near: defaultdict[int, float] = defaultdict(float)
        if item.harvester == READ:
            for word in words[item.id]:
                for group in holders[word]:
                    near[group] += tells[word]
        likest = [
            (share, -group)
            for group, shared in near.items()
            if (share := shared / min(whole[item.id], whole[groups[group][0].id])) >= _needed(groups[group][0])
        ]
        if likest:
            groups[-max(likest)[1]].append(item)
            continue
        for word in words[item.id]:
            holders[word].add(len(groups))
        groups.append([item])
    yield from (_speaking(group) for group in groups)


def _needed(first: Item) -> float:
    return _ALIKE if first.harvester == READ else _ALIKE_COUNTED


def _precedence(item: Item) -> tuple[bool, bool, float, str]:
    return not item.is_decided, item.harvester == READ, -per_token(item, {}), item.id


def _speaking(group: Sequence[Item]) -> Item:
    """The first of a group, with what the others wait for if it was read itself."""
    first, *others = group
    if not others or first.harvester != READ:
        return first
    triggers = dict.fromkeys(trigger for item in group for trigger in item.triggers)
    evidence = dict.fromkeys(piece for item in group for piece in item.evidence)
    return msgspec.structs.replace(first, triggers=tuple(triggers)[:_MOST_TRIGGERS], evidence=tuple(evidence))
