"""Brings statements together that say the same: the same words about the same thing, with the same sign.

Two statements are one when most of their telling words are shared and neither denies what the other affirms. The
earliest statement names the matter, so that an id does not change when more is said. Nothing here knows what kind of
statement it is; the caller says what a recurrence means.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.harvest.harvester import evidence_of
from afterwit.harvest.stated.statements import Speaker, Stated, attributed, salient
from afterwit.harvest.stated.topics import topic_of
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, Sighting, Trigger

_ALIKE = 0.6
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|avoid|stop|drop|remove|cannot|nobody|none)\b|n't\b|\b(?:dont|doesnt|cant)\b",
    re.IGNORECASE,
)


class Matter(NamedTuple):
    """Statements that say the same, the earliest first."""

    words: frozenset[str]
    is_negative: bool
    sightings: tuple[Sighting[Stated], ...]

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
    def channel(self) -> Channel:
        """That of its words, which are the same for all who said them."""
        return channel_of(self.last.seen.speaker)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every time it was said. An agent that says the same words again and again has them from somewhere: a page, a
        template, a file. Wherever that is, it is one origin; a user who repeats himself means it."""
        return tuple(_evidence(sighting) for sighting in self.sightings)


def channel_of(speaker: Speaker) -> Channel:
    return Channel.USER if speaker is Speaker.USER else Channel.ASSISTANT


def is_negative(text: str) -> bool:
    return _NEGATION.search(text) is not None


def moment(sighting: Sighting[Stated]) -> int:
    return sighting.seen.at_ms or sighting.session.at_ms


def matters(sightings: Iterable[Sighting[Stated]]) -> list[Matter]:
    """What was said, each matter once, in the order in which it was first said. A user and an agent never share one:
    words of the one lend nothing to the other."""
    found: list[tuple[frozenset[str], bool, Channel, list[Sighting[Stated]]]] = []
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for sighting in sorted(sightings, key=_order):
        text = sighting.seen.excerpt
        words, negative, channel = salient(text), is_negative(text), channel_of(sighting.seen.speaker)
        if not words:
            continue
        near = sorted({at for word in words for at in by_word[word]})
        same = (at for at in near if found[at][1:3] == (negative, channel) and likeness(words, found[at][0]) >= _ALIKE)
        at = next(same, None)
        if at is not None:
            found[at][3].append(sighting)
            continue
        for word in words:
            by_word[word].append(len(found))
        found.append((words, negative, channel, [sighting]))
    return [Matter(words, negative, tuple(said)) for words, negative, _, said in found]


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that both have."""
    return len(one & other) / len(one | other) if one and other else 0.0


def _evidence(sighting: Sighting[Stated]) -> Evidence:
    channel = channel_of(sighting.seen.speaker)
    words = " ".join(sorted(salient(sighting.seen.excerpt)))
    return evidence_of(sighting, channel, source="" if channel is Channel.USER else f"words: {words}")


def _order(sighting: Sighting[Stated]) -> tuple[int, str, str, int, str]:
    session, seen = sighting
    return moment(sighting), session.agent, session.native_id, seen.at or 0, seen.excerpt


def stated_pitfalls(
    harvester: str, repo: str, sightings: Sequence[Sighting[Stated]], speaker: Speaker, channel: Channel
) -> Iterator[Draft]:
    """Of each matter that was stated in a repository, its last words as a pitfall."""
    for matter in matters(sightings):
        text = matter.last.seen.excerpt
        yield Draft(
            harvester=harvester,
            key=matter.key,
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.PITFALL,
            sentence=attributed(speaker, moment(matter.last), text),
            channel=channel,
            triggers=(Trigger(topic=topic_of(text)),),
            evidence=matter.evidence,
        )
