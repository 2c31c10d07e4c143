"""Where an agent is, and which items hold there.

What saying an item is worth: the actions it can be expected to spare, for each token that it costs to read.

Three factors: how often it mattered in sessions like this one, how far it is believed (a low quantile, so that little
evidence counts little), and what it spares when it matters. A rough estimate that only has to rank.

Which of several items that fit a moment is said first: one order for recall and for the deck that hooks read.

The rules of linters and compilers that a repository keeps enforcing: at most eight of them reach a session.

Those that are believed enough stand in the start block; the rest of the eight, seen in fewer sessions, comes with the
first prompt. What bites most goes first: in many stories, and of late.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from afterwit.harvest.rules.rules import most_biting
from afterwit.knowledge.belief import lower
from afterwit.knowledge.shown_items import may_be_told
from afterwit.knowledge.trust import quorum
from afterwit.model.knowledge import Item, ItemStatus, Scope, ScopeKind

TOKEN_CHARS = 4


_FEWEST = 3  # stories of a scope with fewer say little about how often something matters


_MOST = 60  # pieces of evidence that an item keeps


class Situation(NamedTuple):
    """What is known of a session when it begins."""

    repo: str = ""
    agent: str = ""

    def scopes(self) -> tuple[Scope, ...]:
        """Where it is, the narrowest first."""
        found = (Scope(ScopeKind.REPO, self.repo), Scope(ScopeKind.AGENT, self.agent), Scope(ScopeKind.GLOBAL))
        return tuple(scope for scope in found if scope.name or scope.kind is ScopeKind.GLOBAL)

    def concerns(self, item: Item) -> bool:
        """Whether an item holds here and may be told."""
        is_here = item.scope in self.scopes() and (not item.agents or self.agent in item.agents)
        return is_here and may_be_told(item)


def holding(items: Iterable[Item], situation: Situation) -> list[Item]:
    """Active items that hold there and that nobody else says, narrowest scope first, in a stable order."""
    order = {scope: place for place, scope in enumerate(situation.scopes())}
    here = [
        item
        for item in items
        if item.status is ItemStatus.ACTIVE and not item.is_known_to_host and situation.concerns(item)
    ]
    return sorted(here, key=lambda item: (order[item.scope], item.id))


def tokens(text: str) -> int:
    """About what it costs to read."""
    return -(-len(text) // TOKEN_CHARS)


def expected(item: Item, stories: Mapping[Scope, int]) -> float:
    """Actions that it can be expected to spare in a session."""
    of = min(_MOST, max(_FEWEST, stories.get(item.scope, 0)))
    return min(1.0, quorum(item.evidence) / of) * lower(item.belief) * item.saves


def per_token(item: Item, stories: Mapping[Scope, int]) -> float:
    return expected(item, stories) / max(1, tokens(item.sentence))


def order(item: Item) -> tuple[float, str]:
    """What spares most for each token comes first; the id makes it the same everywhere."""
    return -per_token(item, {}), item.id


MOST_RULES = 8


_SPEAKING = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


def biting_rules(items: Iterable[Item], situation: Situation) -> list[Item]:
    """The rules that matter most here, the most biting first."""
    here = [
        item
        for item in items
        if situation.concerns(item)
        and item.status in _SPEAKING
        and not item.is_known_to_host
        and any(trigger.rule for trigger in item.triggers)
    ]
    return most_biting(here, MOST_RULES)
