"""Questions that several harvesters ask of what was seen: in which order, in how many stories, in which repository."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar

from afterwit.model.knowledge import Scope, ScopeKind, Seen, Sighting

S = TypeVar("S", bound=Seen)
_MOST_SIGNATURES = 6


class Failed(Protocol):
    """Something seen that has the signature of a failure."""

    @property
    def signature(self) -> str: ...


class SightingOfFailure(Protocol):
    @property
    def seen(self) -> Failed: ...


def place(one: Sighting[S]) -> tuple[int, str, int]:
    """Where in time something was seen."""
    return one.session.at_ms, one.session.native_id, one.seen.at or 0


def in_order(sightings: Iterable[Sighting[S]]) -> list[Sighting[S]]:
    return sorted(sightings, key=place)


def stories_in(sightings: Iterable[Sighting[S]]) -> set[str]:
    return {sighting.session.story for sighting in sightings}


def by_repo(sightings: Iterable[Sighting[S]]) -> dict[Scope, list[Sighting[S]]]:
    """What was seen in each repository, in order; without what was seen outside of any."""
    found: defaultdict[str, list[Sighting[S]]] = defaultdict(list)
    for one in in_order(sightings):
        if one.session.repo:
            found[one.session.repo].append(one)
    return {Scope(ScopeKind.REPO, repo): found[repo] for repo in sorted(found)}


def commonest_signatures(sightings: Iterable[SightingOfFailure]) -> list[str]:
    """The signatures of the failures seen, the commonest first."""
    counts = Counter(sighting.seen.signature for sighting in sightings)
    return sorted(counts, key=lambda signature: (-counts[signature], signature))[:_MOST_SIGNATURES]
