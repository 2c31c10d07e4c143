"""Work that was put off: what an agent said it had left for later, until a later session does it.

Only sentences that say so plainly, in the last reply or among what was stated, and that are about the code: what waits
for a merge, a release or an answer is over soon. They are the agent's words, quoted as such. Two stories that put off
the same matter count together. A later story whose task and commits speak of the same things closes the matter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from afterwit.harvest.harvester import Grouped, evidence_of, first_later, in_order, outcomes, unique
from afterwit.harvest.wording import plain, quoted, sentence, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.text.patterns import regex
from afterwit.text.words import words_of

_PUT_OFF = regex(
    r"\b(?:(?:is|are|was|were|has|have)(?: been)?|still|explicitly|intentionally|deliberately) "
    r"(?:not (?:yet )?(?:implemented|done|fixed|covered|handled|addressed|supported|migrated|wired up)"
    r"|deferred|postponed|left (?:out |open )?(?:for|as) (?:later|now|a follow-?up|future work|another)|out of scope)\b"
    r"|\bnot (?:implemented|done|fixed|covered|handled|addressed|supported) yet\b"
    r"|\b(?:leave|leaving|left|defer|deferring|deferred) [^.\n]{3,120} (?:for|to|as) (?:later|a (?:later|separate"
    r"|future|follow-?up)|follow-?ups?|future work|another (?:PR|change|session))\b"
    r"|\b(?:remaining|open|known) (?:work|follow-?ups?|gap|limitation)s?:"
    r"|\bstill (?:needs? to be|has to be|have to be|to be done|missing)\b",
    re.IGNORECASE,
)
_SOON_OVER = regex(
    r"\b(?:branch(?:es)?|merged?|merging|rebased?|PRs?|MRs?|pull requests?|commit(?:ted|s)?|push(?:ed)?"
    r"|deploy(?:ed|ment)?|releas(?:e|ed|ing)|publish(?:ed)?|land(?:ed|ing)?|review(?:ed)?|approv(?:e|al|ed)|CI|now|today|you|your"
    r"|worktree)\b|\(\d\)|\b[a-z]{2,6}-[a-z0-9]{2,6}\b:",
    re.IGNORECASE,
)
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_MARKS = regex(r"^[\s>#*+\-\d.)]+|[*_]{2}")
_SHORTEST, _LONGEST = 30, 200
_LEAST_WORDS = 4
_MOST = 3  # a session
_MOST_WORDS = 60
_SAME = 0.6  # share of the words
_QUOTE = 160


class PutOffSeen(Seen, frozen=True, kw_only=True):
    """Something put off, or the words of what a session did."""

    is_put_off: bool = False
    words: tuple[str, ...] = ()

    def is_alike(self, other: "PutOffSeen") -> bool:
        shared = len(set(self.words) & set(other.words))
        return shared >= _SAME * len({*self.words, *other.words})

    def is_done_by(self, later: "PutOffSeen") -> bool:
        """Whether a task and commits speak of what was put off."""
        wanted = set(self.words)
        return not later.is_put_off and len(wanted & set(later.words)) >= _SAME * len(wanted)


class PutOff:
    name = "put-off"
    version = 2
    seen = PutOffSeen
    minimum_stories = 2

    def see(self, digest: Digest) -> Iterable[Grouped[PutOffSeen]]:
        if not digest.repo:
            return
        for text in islice(unique(_put_off(digest), str), _MOST):
            words = tuple(sorted(set(words_of(text))))
            yield Grouped(digest.repo, PutOffSeen(excerpt=text, is_put_off=True, words=words))
        done = [digest.title, digest.task, *(publication.text for publication in digest.publications)]
        words = tuple(dict.fromkeys(word for text in done for word in words_of(text)))[:_MOST_WORDS]
        if words and digest.publications:
            yield Grouped(digest.repo, PutOffSeen(at=digest.publications[0].at, words=tuple(sorted(words))))

    def conclude(self, group: str, sightings: Sequence[Sighting[PutOffSeen]]) -> Iterable[Draft]:
        ordered = in_order(sorted(sightings, key=lambda sighting: sighting.seen.excerpt))
        matters: list[list[Sighting[PutOffSeen]]] = []
        for sighting in ordered:
            if sighting.seen.is_put_off:
                same = next((matter for matter in matters if matter[0].seen.is_alike(sighting.seen)), None)
                if same is None:
                    matters.append([sighting])
                else:
                    same.append(sighting)
        for matter in matters:
            yield from self._draft(group, matter, first_later(matter[-1], ordered, matter[-1].seen.is_done_by))

    def _draft(
        self, repo: str, matter: Sequence[Sighting[PutOffSeen]], done: Sighting[PutOffSeen] | None
    ) -> Iterator[Draft]:
        first = matter[0].seen
        words = quoted(first.excerpt, _QUOTE)
        if not words:
            return
        verb = "was put off and has been done since" if done else "was put off"
        yield Draft(
            harvester=self.name,
            key=first.words,
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.QUESTION,
            sentence=sentence(f"In {shown_repo(repo)}, this {verb}: {words}"),
            channel=Channel.ASSISTANT,
            triggers=(Trigger(topic=first.words[:_LEAST_WORDS]),),
            evidence=(
                *(evidence_of(sighting, Channel.ASSISTANT) for sighting in matter),
                *outcomes((), [done] if done else []),
            ),
            is_closed=done is not None,
        )


def _put_off(digest: Digest) -> Iterator[str]:
    for text in (digest.ending, *(said.text for said in digest.stated if not said.is_person)):
        for raw in _SENTENCE.split(text):
            said = plain(_MARKS.sub("", raw)).strip()
            is_open = _PUT_OFF.search(said) and not _SOON_OVER.search(said)
            if _SHORTEST <= len(said) <= _LONGEST and is_open and len(set(words_of(said))) >= _LEAST_WORDS:
                yield said
