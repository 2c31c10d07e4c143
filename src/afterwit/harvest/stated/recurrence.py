"""Brings together what users said in the same words: most of the telling words shared, and the same sign.

The earliest time names the matter, so that an id does not change when it is said again. What people say is each one's
own: words of two are one matter only where their telling words are the same. Whoever says the opposite later takes back
what they said: `last_words` leaves it out, and says which matters are replaced. What saying it again means is up to the
harvesters.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.harvest.harvester import evidence_of, item_id
from afterwit.harvest.stated.statements import attributed, salient
from afterwit.model.knowledge import EXCERPT_LIMIT, Category, Channel, Draft, Scope, Seen, Sighting
from afterwit.model.text import regex
from afterwit.redaction.accounts import is_person
from afterwit.redaction.hygiene import clean

ALIKE = 0.6
_NEGATION = regex(
    r"\b(?:no|not|never|without|avoid|stop|drop|remove|cannot|nobody|none)\b|n't\b|\b(?:dont|doesnt|cant)\b",
    re.IGNORECASE,
)


class StatedMatter(NamedTuple):
    """What was said again and again, the earliest time first."""

    words: frozenset[str]
    is_negative: bool
    sightings: list[Sighting[Seen]]

    @property
    def last(self) -> Sighting[Seen]:
        return self.sightings[-1]

    @property
    def key(self) -> tuple[str, ...]:
        return (*sorted(self.words), "not") if self.is_negative else tuple(sorted(self.words))

    @property
    def people(self) -> frozenset[str]:
        """Who said it, as far as they can be told from others."""
        return frozenset(filter(is_person, (sighting.session.user for sighting in self.sightings)))

    @property
    def stories(self) -> frozenset[str]:
        return frozenset(sighting.session.story for sighting in self.sightings)

    def draft(
        self, harvester: str, scope: Scope, said: Sighting[Seen], replaced: Sequence["StatedMatter"] = ()
    ) -> Draft:
        """The matter in the words of one time. Without triggers: what a user wants is told at the start."""
        return Draft(
            harvester=harvester,
            key=self.key,
            scope=scope,
            category=Category.PITFALL if self.is_negative else Category.PATTERN,
            sentence=attributed(moment(said), said.seen.excerpt),
            channel=Channel.USER,
            evidence=tuple(evidence_of(sighting, Channel.USER) for sighting in self.sightings),
            supersedes=tuple(item_id(harvester, scope, old.key) for old in replaced),
        )


class LastWord(NamedTuple):
    """A matter without what those who said it have taken back, and the matters that it replaces."""

    matter: StatedMatter
    replaced: tuple[StatedMatter, ...]


def stated(text: str, at_ms: int | None) -> Seen:
    return Seen(excerpt=clean(text)[:EXCERPT_LIMIT], at_ms=at_ms)


def is_negative(text: str) -> bool:
    return _NEGATION.search(text) is not None


def moment(sighting: Sighting[Seen]) -> int:
    return sighting.seen.at_ms or sighting.session.at_ms


def matters(sightings: Iterable[Sighting[Seen]]) -> list[StatedMatter]:
    """What was said, each matter once, in the order in which it was first said."""
    so_far: list[StatedMatter] = []
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for sighting in sorted(sightings, key=_order):
        text = sighting.seen.excerpt
        new = StatedMatter(salient(text), is_negative(text), [sighting])
        near = sorted({at for word in new.words for at in by_word[word]})
        same = next((so_far[at] for at in near if _is_same(so_far[at], new)), None)
        if same is not None:
            same.sightings.append(sighting)
        elif new.words:
            for word in new.words:
                by_word[word].append(len(so_far))
            so_far.append(new)
    return _united(so_far)


def last_words(said: Sequence[StatedMatter]) -> Iterator[LastWord]:
    """Of matters that say the opposite, the one that was said last replaces the others."""
    for matter in said:
        opposites = [other for other in said if _is_opposite(matter, other)]
        since = {user: at for other in opposites for user, at in _last_said(other).items()}
        kept = [sighting for sighting in matter.sightings if moment(sighting) >= since.get(sighting.session.user, 0)]
        replaced = tuple(other for other in opposites if moment(other.last) < moment(matter.last))
        yield LastWord(matter._replace(sightings=kept or matter.sightings), replaced)


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of words that both have."""
    return len(words & others) / len(words | others) if words and others else 0.0


def _united(said: Iterable[StatedMatter]) -> list[StatedMatter]:
    """Without doubles: what several people said in the same words."""
    by_key: dict[tuple[str, ...], StatedMatter] = {}
    for matter in said:
        first = by_key.setdefault(matter.key, matter)
        if first is not matter:
            first.sightings.extend(matter.sightings)
            first.sightings.sort(key=_order)
    return list(by_key.values())


def _is_same(earlier: StatedMatter, new: StatedMatter) -> bool:
    if earlier.is_negative != new.is_negative or likeness(new.words, earlier.words) < ALIKE:
        return False
    return not earlier.people or earlier.people.issuperset(new.people)


def _is_opposite(matter: StatedMatter, other: StatedMatter) -> bool:
    return matter.is_negative != other.is_negative and likeness(matter.words, other.words) >= ALIKE


def _last_said(matter: StatedMatter) -> dict[str, int]:
    """By user, when they said it last."""
    return {sighting.session.user: moment(sighting) for sighting in matter.sightings}


def _order(sighting: Sighting[Seen]) -> tuple[int, str, str, int, str]:
    session, seen = sighting
    return moment(sighting), session.agent, session.native_id, seen.at or 0, seen.excerpt
