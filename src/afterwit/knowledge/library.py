"""All that was seen, in memory, and what follows from it: for the backtest and for harvesting again.

Knowing a session replaces what was known of it. Conclusions are drawn when they are asked for, and only for the
groups, matters and scopes that changed since: a new session costs what it touches, whatever the history holds. The
outcome depends on the set of sessions, not on their order. No I/O; the store keeps its own rows.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from afterwit.harvest.harvester import Harvester, newest
from afterwit.knowledge.merging import Matter, Union, matter_of, merged_in_scope, placed
from afterwit.knowledge.weighing import WeighingContext, weighed
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Draft, Item, Scope, Seen, SessionRef, Sighting


class _Group(NamedTuple):
    """One matter of one harvester, by its position."""

    harvester: int
    name: str


class Library:
    """Knowledge of a growing set of sessions."""

    def __init__(
        self, harvesters: Sequence[Harvester[Any]], is_let_in: Callable[[Draft], bool] = lambda _draft: True
    ) -> None:
        self._harvesters = tuple(harvesters)
        self._is_let_in = is_let_in
        self._sessions: dict[tuple[str, str], tuple[_Group, ...]] = {}
        self._seen: defaultdict[_Group, dict[tuple[str, str], tuple[Sighting[Seen], ...]]] = defaultdict(dict)
        self._touched: dict[_Group, None] = {}
        self._drafts: dict[_Group, tuple[Draft, ...]] = {}
        self._matters: defaultdict[Matter, dict[_Group, tuple[Draft, ...]]] = defaultdict(dict)
        self._placed: dict[Matter, tuple[Union, ...]] = {}
        self._scopes: defaultdict[Scope, dict[Matter, Union]] = defaultdict(dict)
        self._merged: dict[Scope, tuple[Union, ...]] = {}

    def know(self, digest: Digest, session: SessionRef) -> None:
        """A session, as far as it is known by now. Replaces what was known of it before."""
        self.forget(session)
        sightings: defaultdict[_Group, list[Sighting[Seen]]] = defaultdict(list)
        for number, harvester in enumerate(self._harvesters):
            for name, seen in harvester.see(digest):
                sightings[_Group(number, name)].append(Sighting(session, seen))
        key = (session.agent, session.native_id)
        self._sessions[key] = tuple(sightings)
        for group, own in sightings.items():
            self._seen[group][key] = tuple(own)
            self._touched[group] = None

    def forget(self, session: SessionRef) -> None:
        """Takes back what was seen in a session."""
        key = (session.agent, session.native_id)
        for group in self._sessions.pop(key, ()):
            del self._seen[group][key]
            self._touched[group] = None

    def drafts(self, scopes: Collection[Scope] | None = None) -> tuple[Draft, ...]:
        """Merged drafts of these scopes, or of all."""
        return tuple(union.draft for union in self.unions(scopes))

    def unions(self, scopes: Collection[Scope] | None = None) -> tuple[Union, ...]:
        """The same, with what went into them, by scope and id."""
        asked = sorted(self.scopes() if scopes is None else set(scopes))
        return tuple(union for scope in asked for union in self._in_scope(scope))

    def items(self, context: WeighingContext, scopes: Collection[Scope] | None = None) -> tuple[Item, ...]:
        """Items of these scopes, or of all, as they stand at the moment of the context."""
        minimum = {harvester.name: harvester.minimum_stories for harvester in self._harvesters}
        return weighed(self.unions(scopes), context._replace(minimum_stories=minimum | dict(context.minimum_stories)))

    def scopes(self) -> tuple[Scope, ...]:
        """Where anything holds."""
        self._conclude()
        return tuple(sorted(scope for scope, unions in self._scopes.items() if unions))

    def _in_scope(self, scope: Scope) -> tuple[Union, ...]:
        """What merging made of one scope."""
        self._conclude()
        if scope not in self._merged:
            unions = self._scopes.get(scope, {})
            self._merged[scope] = merged_in_scope([union for _, union in sorted(unions.items())])
        return self._merged[scope]

    def _conclude(self) -> None:
        """Brings drafts, and where they hold, up to what was seen."""
        changed: dict[Matter, None] = {}
        for group in self._touched:
            before, after = self._drafts.get(group, ()), self._concluded(group)
            if before != after:
                changed |= dict.fromkeys(matter_of(draft) for draft in (*before, *after))
                self._file(group, before, after)
        self._touched.clear()
        for matter in changed:
            self._place(matter)

    def _concluded(self, group: _Group) -> tuple[Draft, ...]:
        by_session = self._seen[group]
        if not by_session:
            del self._seen[group]
            return ()
        sightings = newest([sighting for _, several in sorted(by_session.items()) for sighting in several])
        drafts = self._harvesters[group.harvester].conclude(group.name, sightings) if sightings else ()
        return tuple(draft for draft in drafts if self._is_let_in(draft))

    def _file(self, group: _Group, before: Iterable[Draft], after: tuple[Draft, ...]) -> None:
        """Keeps the drafts of a group under the matters that they are about."""
        for draft in before:
            self._matters[matter_of(draft)].pop(group, None)
        for draft in after:
            mine = self._matters[matter_of(draft)]
            mine[group] = (*mine.get(group, ()), draft)
        if after:
            self._drafts[group] = after
        else:
            self._drafts.pop(group, None)

    def _place(self, matter: Matter) -> None:
        """Decides where a matter holds, and marks the scopes that this changes."""
        for union in self._placed.pop(matter, ()):
            del self._scopes[union.draft.scope][matter]
            self._merged.pop(union.draft.scope, None)
        drafts = [draft for several in self._matters[matter].values() for draft in several]
        if not drafts:
            del self._matters[matter]
            return
        self._placed[matter] = unions = tuple(placed(drafts))
        for union in unions:
            self._scopes[union.draft.scope][matter] = union
            self._merged.pop(union.draft.scope, None)
