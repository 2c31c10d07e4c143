"""Where an agent is, which items hold there, and which of them is said first.

What saying an item is worth: the actions it can be expected to spare, for each token that it costs to read. Three
factors: how often it mattered in sessions like this one, how far it is believed (a low quantile, so that little
evidence counts little), and what it spares when it matters. A rough estimate that only has to rank.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from afterwit.knowledge.belief import lower, quorum
from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import READ, Item, ItemStatus, Scope, ScopeKind

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
