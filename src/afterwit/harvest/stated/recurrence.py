"""Brings statements together that say the same: the same words about the same thing, with the same sign.

Two statements are one matter when most of their telling words are shared and neither denies what the other affirms.
The earliest statement names the matter, so that an id does not change when more is said. What people say is each one's
own: statements of two are one matter only where their telling words are the same. Nothing here knows what kind of
statement it is; the caller says what a recurrence means.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from afterwit.guard.accounts import is_person
from afterwit.harvest.harvester import Grouped, evidence_of, unique
from afterwit.harvest.stated.statements import Stated, StatedBy, attributed, salient, topic_of
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, Sighting, Trigger
from afterwit.text.patterns import regex

_ALIKE = 0.6
_NEGATION = regex(
    r"\b(?:no|not|never|without|avoid|stop|drop|remove|cannot|nobody|none)\b|n't\b|\b(?:dont|doesnt|cant)\b",
    re.IGNORECASE,
)


class StatedMatter(NamedTuple):
    """Statements that say the same, the earliest first."""

    words: frozenset[str]
    is_negative: bool
    channel: Channel  # of the words, which is the same for all who said them
    sightings: list[Sighting[Stated]]

    @property
    def first(self) -> Sighting[Stated]:
        return self.sightings[0]

    @property
    def last(self) -> Sighting[Stated]:
        return self.sightings[-1]

    @property
    def key(self) -> tuple[str, ...]:
        return (*sorted(self.words), "not") if self.is_negative else tuple(sorted(self.words))

    @property
    def people(self) -> frozenset[str]:
        """Who said it, as far as they can be told from others; nobody where an agent did."""
        if self.channel is not Channel.USER:
            return frozenset()
        return frozenset(filter(is_person, (sighting.session.user for sighting in self.sightings)))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every time it was said. An agent that says the same words again and again has them from somewhere: a page, a
        template, a file. Wherever that is, it is one origin; a user who repeats himself means it."""
        return tuple(_evidence(sighting) for sighting in self.sightings)

    def draft(
        self,
        harvester: str,
        scope: Scope,
        category: Category,
        *,
        triggers: tuple[Trigger, ...] | None = None,
        supersedes: tuple[str, ...] = (),
    ) -> Draft:
        """The last words of the matter, as they were said; without triggers, shown when their topic comes up."""
        said = self.last.seen
        return Draft(
            harvester=harvester,
            key=self.key,
            scope=scope,
            category=category,
            sentence=attributed(said.speaker, moment(self.last), said.excerpt),
            channel=self.channel,
            triggers=(Trigger(topic=topic_of(said.excerpt)),) if triggers is None else triggers,
            evidence=self.evidence,
            supersedes=supersedes,
        )


def first_statements(group: str, said: Iterable[Stated], most: int) -> list[Grouped[Stated]]:
    """The first statements of a session, each once."""
    return [Grouped(group, seen) for seen in islice(unique(said, lambda seen: seen.excerpt), most)]


def is_negative(text: str) -> bool:
    return _NEGATION.search(text) is not None


def moment(sighting: Sighting[Stated]) -> int:
    return sighting.seen.at_ms or sighting.session.at_ms


def matters(sightings: Iterable[Sighting[Stated]]) -> list[StatedMatter]:
    """What was said, each matter once, in the order in which it was first said. A user and an agent never share one:
    words of the one lend nothing to the other."""
    so_far: list[StatedMatter] = []
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for sighting in sorted(sightings, key=_order):
        text = sighting.seen.excerpt
        new = StatedMatter(salient(text), is_negative(text), _channel_of(sighting), [sighting])
        near = sorted({at for word in new.words for at in by_word[word]})
        same = next((so_far[at] for at in near if _is_same(so_far[at], new)), None)
        if same is not None:
            same.sightings.append(sighting)
        elif new.words:
            for word in new.words:
                by_word[word].append(len(so_far))
            so_far.append(new)
    return _united(so_far)


def _united(said: Iterable[StatedMatter]) -> list[StatedMatter]:
    """Without doubles: what several people said in the same words."""
    by_key: dict[tuple[tuple[str, ...], Channel], StatedMatter] = {}
    for matter in said:
        first = by_key.setdefault((matter.key, matter.channel), matter)
        if first is not matter:
            first.sightings.extend(matter.sightings)
            first.sightings.sort(key=_order)
    return list(by_key.values())


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of words that both have."""
    return len(words & others) / len(words | others) if words and others else 0.0


def _is_same(earlier: StatedMatter, new: StatedMatter) -> bool:
    is_alike = (earlier.is_negative, earlier.channel) == (new.is_negative, new.channel)
    if not is_alike or likeness(new.words, earlier.words) < _ALIKE:
        return False
    return not earlier.people or earlier.people.issuperset(new.people)


def _channel_of(sighting: Sighting[Stated]) -> Channel:
    return Channel.USER if sighting.seen.speaker is StatedBy.USER else Channel.ASSISTANT


def _evidence(sighting: Sighting[Stated]) -> Evidence:
    channel = _channel_of(sighting)
    words = " ".join(sorted(salient(sighting.seen.excerpt)))
    return evidence_of(sighting, channel, source="" if channel is Channel.USER else f"words: {words}")


def _order(sighting: Sighting[Stated]) -> tuple[int, str, str, int, str]:
    session, seen = sighting
    return moment(sighting), session.agent, session.native_id, seen.at or 0, seen.excerpt
