"""Work that was put off: what an agent said it had left for later, until a later session does it.

Only sentences that say so plainly, in the last reply or among what was stated, and that are about the code: what waits
for a merge, a release or an answer is over soon. They are the agent's words, quoted as such. Two stories that put off
the same matter count together. A later story whose task and commits speak of the same things closes the matter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.files.file_wording import shown_repo
from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.harvest.sightings import in_order
from afterwit.harvest.wording import plain, quoted, sentence
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.text.words import words_of

_PUT_OFF = re.compile(
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
_SOON_OVER = re.compile(
    r"\b(?:branch(?:es)?|merged?|merging|rebased?|PRs?|MRs?|pull requests?|commit(?:ted|s)?|push(?:ed)?"
    r"|deploy(?:ed|ment)?|releas(?:e|ed|ing)|publish(?:ed)?|land(?:ed|ing)?|review(?:ed)?|approv(?:e|al|ed)|CI|now|today|you|your"
    r"|worktree)\b|\(\d\)|\b[a-z]{2,6}-[a-z0-9]{2,6}\b:",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKS = re.compile(r"^[\s>#*+\-\d.)]+|[*_]{2}")
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


class PutOff:
    name = "put-off"
    version = 2
    seen = PutOffSeen
    minimum_stories = 2

    def see(self, digest: Digest) -> Iterable[Grouped[PutOffSeen]]:
        if not digest.repo:
            return
        for text in list(_put_off(digest))[:_MOST]:
            words = tuple(sorted(set(words_of(text))))
            yield Grouped(digest.repo, PutOffSeen(excerpt=text, is_put_off=True, words=words))
        done = [digest.title, digest.task, *(publication.text for publication in digest.publications)]
        words = tuple(dict.fromkeys(word for text in done for word in words_of(text)))[:_MOST_WORDS]
        if words and digest.publications:
            yield Grouped(digest.repo, PutOffSeen(at=digest.publications[0].at, words=tuple(sorted(words))))

    def conclude(self, group: str, sightings: Sequence[Sighting[PutOffSeen]]) -> Iterable[Draft]:
        ordered = in_order(sorted(sightings, key=lambda one: one.seen.excerpt))
        matters: list[list[Sighting[PutOffSeen]]] = []
        for one in (each for each in ordered if each.seen.is_put_off):
            known = next((some for some in matters if _alike(some[0].seen, one.seen)), None)
            if known is None:
                matters.append([one])
            else:
                known.append(one)
        for some in matters:
            yield from self._draft(group, some, _done(some[-1], ordered))

    def _draft(
        self, repo: str, some: Sequence[Sighting[PutOffSeen]], done: Sighting[PutOffSeen] | None
    ) -> Iterator[Draft]:
        first = some[0].seen
        words = quoted(first.excerpt, _QUOTE)
        if not words:
            return
        verb = "was put off and has been done since" if done else "was put off"
        closing = [evidence_of(done, Channel.OUTCOME, is_against=True)] if done else []
        yield Draft(
            harvester=self.name,
            key=first.words,
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.QUESTION,
            sentence=sentence(f"In {shown_repo(repo)}, this {verb}: {words}"),
            channel=Channel.ASSISTANT,
            triggers=(Trigger(topic=first.words[:_LEAST_WORDS]),),
            evidence=(*(evidence_of(one, Channel.ASSISTANT) for one in some), *closing),
            is_closed=done is not None,
        )


def _put_off(digest: Digest) -> Iterator[str]:
    seen: set[str] = set()
    for text in (digest.ending, *(one.text for one in digest.stated if not one.is_person)):
        for raw in _SENTENCE.split(text):
            said = plain(_MARKS.sub("", raw)).strip()
            is_open = _PUT_OFF.search(said) and not _SOON_OVER.search(said)
            if _SHORTEST <= len(said) <= _LONGEST and is_open and said not in seen:
                seen.add(said)
                if len(set(words_of(said))) >= _LEAST_WORDS:
                    yield said


def _alike(one: PutOffSeen, other: PutOffSeen) -> bool:
    shared = len(set(one.words) & set(other.words))
    return shared >= _SAME * len({*one.words, *other.words})


def _done(last: Sighting[PutOffSeen], ordered: Sequence[Sighting[PutOffSeen]]) -> Sighting[PutOffSeen] | None:
    """The first later story whose task and commits speak of what was put off."""
    wanted = set(last.seen.words)
    for one in ordered:
        is_later = one.session.at_ms > last.session.at_ms and one.session.story != last.session.story
        if is_later and not one.seen.is_put_off and len(wanted & set(one.seen.words)) >= _SAME * len(wanted):
            return one
    return None
