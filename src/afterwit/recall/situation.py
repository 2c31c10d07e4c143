"""Where an agent is, which items hold there, and which of them is said first.

What saying an item is worth: the actions it can be expected to spare, for each token that it costs to read. Three
factors: how often it mattered in sessions like this one, how far it is believed (a low quantile, so that little
evidence counts little), and what it spares when it matters. A rough estimate that only has to rank.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log, sqrt
from typing import NamedTuple

import msgspec

from afterwit.knowledge.belief import lower, quorum
from afterwit.knowledge.shown_items import may_be_told, may_be_told_to
from afterwit.knowledge.whose_words import Listener
from afterwit.model.knowledge import READ, Item, ItemStatus, Scope, ScopeKind
from afterwit.model.text import words_of

SPEAKING = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)  # items that may be said somewhere
_TOKEN_CHARS = 4
_FEWEST = 3  # stories of a scope with fewer say little about how often something matters
MOST_STORIES = 60  # of a scope that count: an item keeps as many pieces of evidence


class Situation(NamedTuple):
    """What is known of a session when it begins."""

    repo: str = ""
    agent: str = ""

    def scopes(self) -> tuple[Scope, ...]:
        """Where it is, the narrowest first."""
        scopes = (Scope(ScopeKind.REPO, self.repo), Scope(ScopeKind.AGENT, self.agent), Scope(ScopeKind.GLOBAL))
        return tuple(scope for scope in scopes if scope.name or scope.kind is ScopeKind.GLOBAL)

    def concerns(self, item: Item) -> bool:
        """Whether an item holds here and may be told."""
        is_here = item.scope in self.scopes() and (not item.agents or self.agent in item.agents)
        return is_here and self.repo not in item.silent_in and may_be_told(item)


def agents_of(items: Sequence[Item]) -> list[str]:
    """All agents for which something else may have to be said, and "" for the others."""
    own = {item.scope.name for item in items if item.scope.kind is ScopeKind.AGENT}
    return sorted({"", *own, *(agent for item in items for agent in item.agents)})


def holding(items: Iterable[Item], situation: Situation) -> list[Item]:
    """Active items that hold there and that nobody else says, narrowest scope first, in a stable order."""
    places = {scope: place for place, scope in enumerate(situation.scopes())}
    active = (item for item in items if item.status is ItemStatus.ACTIVE and not item.is_known_to_host)
    here = (item for item in active if item.scope in places and situation.concerns(item))
    return sorted(here, key=lambda item: (places[item.scope], item.id))


def tokens(text: str) -> int:
    """About what it costs to read."""
    return -(-len(text) // _TOKEN_CHARS)


def expected(item: Item, stories: Mapping[Scope, int]) -> float:
    """Actions that it can be expected to spare in a session. How often something matters that a model read in a session
    or two cannot be counted: there the model's word stands, and counts more, the more sessions say the same."""
    if item.harvester == READ:
        return item.belief.mean * item.saves * sqrt(quorum(item.evidence)) / 2
    of = min(MOST_STORIES, max(_FEWEST, stories.get(item.scope, 0)))
    return min(1.0, quorum(item.evidence) / of) * lower(item.belief) * item.saves


def per_token(item: Item, stories: Mapping[Scope, int]) -> float:
    return expected(item, stories) / max(1, tokens(item.sentence))


def order(item: Item) -> tuple[float, str]:
    """What spares most for each token comes first; the id makes it the same everywhere."""
    return -per_token(item, {}), item.id


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
            if (share := shared / min(whole[item.id], whole[groups[group][0].id])) >= _least_likeness(groups[group][0])
        ]
        if likest:
            groups[-max(likest)[1]].append(item)
            continue
        for word in words[item.id]:
            holders[word].add(len(groups))
        groups.append([item])
    yield from (_speak_for(group) for group in groups)


def _least_likeness(first: Item) -> float:
    return _ALIKE if first.harvester == READ else _ALIKE_COUNTED


def _precedence(item: Item) -> tuple[bool, bool, float, str]:
    return not item.is_decided, item.harvester == READ, -per_token(item, {}), item.id


def _speak_for(group: Sequence[Item]) -> Item:
    """The first of a group, with what the others wait for if it was read itself."""
    first, *others = group
    if not others or first.harvester != READ:
        return first
    triggers = dict.fromkeys(trigger for item in group for trigger in item.triggers)
    evidence = dict.fromkeys(piece for item in group for piece in item.evidence)
    return msgspec.structs.replace(first, triggers=tuple(triggers)[:_MOST_TRIGGERS], evidence=tuple(evidence))
