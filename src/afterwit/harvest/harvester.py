"""What a harvester is: pure, without a model, one file each.

`see` looks at one digest and says what matters in it, each thing under a *group*: the name of the matter that it
belongs to. `conclude` gets everything that was seen of one group, in all sessions, and drafts what follows. So a new
session costs a look at its own digest and new conclusions for the groups it touches, whatever the history holds, and
the outcome depends on the set of sessions, not on their order.
"""

from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from afterwit.model.digest import Digest
from afterwit.model.knowledge import EXCERPT_LIMIT, Channel, Draft, Evidence, Seen, Sighting

S = TypeVar("S", bound=Seen)
NEVER_ALONE = 1_000_000
"""Stories asked of what never counts without a person's word: it only answers a failure, however often it is seen."""


class Grouped(NamedTuple, Generic[S]):
    """Something seen, under the name of the matter that it belongs to."""

    group: str
    seen: S


class Harvester(Protocol[S]):
    name: str
    version: int  # counts up when it would see or conclude otherwise
    minimum_stories: int  # that must show the same before an item counts without a person's word
    seen: type[S]

    def see(self, digest: Digest) -> Iterable[Grouped[S]]:
        """What matters in one session."""
        ...

    def conclude(self, group: str, sightings: Sequence[Sighting[S]]) -> Iterable[Draft]:
        """What follows from everything that was seen of one matter. The order of the sightings does not matter."""
        ...


def evidence_of(sighting: Sighting[S], channel: Channel, *, is_against: bool = False, source: str = "") -> Evidence:
    """A sighting as evidence for, or against, what is concluded from it."""
    session, seen = sighting
    return Evidence(
        session=session,
        channel=channel,
        source=source,
        at=seen.at,
        at_ms=seen.at_ms or session.at_ms,
        excerpt=seen.excerpt[:EXCERPT_LIMIT],
        is_against=is_against,
    )
