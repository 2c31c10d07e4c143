"""Where an agent is, and which items hold there."""

from collections.abc import Iterable
from typing import NamedTuple

from afterwit.knowledge.shown_items import may_be_told
from afterwit.model.knowledge import Item, ItemStatus, Scope, ScopeKind


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
