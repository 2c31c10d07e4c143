"""Questions that somebody left open in so many words: "open question: …", "TODO decide …", "still undecided whether …".

Of the user, what was typed; of the agent, the last reply, with lists below a heading such as "Open questions". A
question that is merely asked, or that the agent puts to the user, is none: it is answered in the session or never. The
words are quoted. A question is closed, with evidence, by a later story in which the user decides, or a commit says,
something about the same things.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from afterwit.guard.hygiene import clean
from afterwit.guard.markers import is_own
from afterwit.harvest.harvester import Grouped, first_later, in_order, outcomes, unique
from afterwit.harvest.stated.recurrence import matters
from afterwit.harvest.stated.statements import Stated, StatedBy, is_general, is_typed, salient, stated
from afterwit.model.digest import Digest, Said
from afterwit.model.knowledge import Category, Draft, Scope, ScopeKind, Sighting
from afterwit.text.pasted import own_words, without_blocks
from afterwit.text.patterns import regex

_ASKED = r"(?:whether|which|how|what|who|where|when|why|if)\b"
_OPEN = regex(
    r"^(?:an?\s+|the\s+|one\s+|another\s+|still\s+)?open (?:question|point|issue)(?:\s+(?:is|remains))?\s*[:–—-]\s*\S"
    rf"|^(?:still\s+)?(?:TODO|TBD|to do)\b[\s:,–—-]*(?:we\s+)?(?:still\s+)?(?:need to |have to )?"
    r"(?:decide|clarify|settle|agree)\b"
    rf"|\b(?:to be decided|undecided|not (?:yet )?(?:decided|settled|clear)(?: yet)?|remains (?:open|unclear|undecided)"
    rf"|still (?:open|unclear|undecided|unknown|to be decided)"
    rf"|(?:leave|left|leaving)(?: it| that| this)? open)[\s:,]+{_ASKED}"
    rf"|\b(?:we|i) (?:still )?(?:have(?:n't| not)|need to|have to|must) (?:yet )?decided? (?:yet |later )?{_ASKED}",
    re.IGNORECASE,
)
_QUESTION = regex(_ASKED, re.IGNORECASE)
_HEADING = regex(r"^\W*(?:still )?open (?:questions?|points?)\W*$", re.IGNORECASE)
_LISTED = regex(r"(?:[-*+•]|\d{1,3}[.)]) (.+)")
_SETTLED = regex(
    r"\b(?:decided|settled|we (?:use|go with|keep|stay with|take)|let's (?:use|go with|keep|stay with|take)|go with"
    r"|use\b.{2,60}\b(?:instead of|rather than)|from now on)\b|^(?:use|keep|take|go with|stay with)\b",
    re.IGNORECASE,
)
_AT_THE_USER = regex(r"\b(?:you|your|me|I|I'll|I'd|shall we|should I)\b")
_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_MARKS = regex(
    r"^[\s>#*+\-\d.)]+(?:it(?:'s| is) (?=still|not|un))?|^it(?:'s| is) (?=still|not|un)|[*_]{2}", re.IGNORECASE
)
_SHORTEST, _LONGEST = 20, 200
_LEAST_WORDS = 2
_MOST = 3  # a session
_MOST_ANSWERS = 10
_SAME = 0.5  # of the telling words of a question


class OpenSeen(Stated, frozen=True, kw_only=True, omit_defaults=True):
    """A question that was left open, or a decision that may answer one."""

    is_answer: bool = False

    def is_answered_by(self, later: "OpenSeen") -> bool:
        wanted = salient(self.excerpt)
        return later.is_answer and len(wanted & salient(later.excerpt)) >= max(_LEAST_WORDS, _SAME * len(wanted))


class OpenQuestions:
    name = "open-questions"
    version = 2
    seen = OpenSeen
    minimum_stories = 1

    def see(self, digest: Digest) -> Iterable[Grouped[OpenSeen]]:
        if not digest.repo:
            return
        for seen in islice(unique(_left_open(digest), lambda seen: seen.excerpt), _MOST):
            yield Grouped(digest.repo, seen)
        for seen in islice(unique(_settled(digest), lambda seen: seen.excerpt), _MOST_ANSWERS):
            yield Grouped(digest.repo, seen)

    def conclude(self, group: str, sightings: Sequence[Sighting[OpenSeen]]) -> Iterable[Draft]:
        ordered = in_order(sorted(sightings, key=lambda sighting: sighting.seen.excerpt))
        for matter in matters(sighting for sighting in ordered if not sighting.seen.is_answer):
            last = next(sighting for sighting in ordered if sighting == matter.last)
            answer = first_later(last, ordered, last.seen.is_answered_by)
            draft = matter.draft(self.name, Scope(ScopeKind.REPO, group), Category.QUESTION)
            if answer is None:
                yield draft
            else:
                evidence = (*draft.evidence, *outcomes((), [answer]))
                yield msgspec.structs.replace(draft, evidence=evidence, is_closed=True)


def _left_open(digest: Digest) -> Iterator[OpenSeen]:
    for said in digest.prompts:
        yield from (_seen(text, StatedBy.USER, said.at_ms) for text in _typed(said) if is_left_open(text))
    said_last = (text for text in _sentences(digest.ending) if is_left_open(text))
    for text in (*said_last, *filter(_is_lasting, _listed(digest.ending))):
        if not _AT_THE_USER.search(text):
            yield _seen(text, StatedBy.AGENT, digest.ended_ms or digest.started_ms)


def is_left_open(text: str) -> bool:
    """Whether a sentence leaves a question open that lasts."""
    return bool(_OPEN.search(text)) and _is_lasting(text)


def _is_lasting(text: str) -> bool:
    return _SHORTEST <= len(text) <= _LONGEST and len(salient(text)) >= _LEAST_WORDS and is_general(text)


def _settled(digest: Digest) -> Iterator[OpenSeen]:
    for said in digest.prompts:
        for text in _typed(said):
            if _SETTLED.search(text) and not text.endswith("?") and not _OPEN.search(text):
                yield _seen(text, StatedBy.USER, said.at_ms, is_answer=True)
    for publication in digest.publications:
        text = publication.text.partition("\n")[0]
        yield _seen(text, StatedBy.COMMIT, digest.started_ms, is_answer=True)


def _typed(said: Said) -> Iterator[str]:
    return _sentences(own_words(said.text)) if said.is_person and is_typed(said.text) else iter(())


def _sentences(text: str) -> Iterator[str]:
    return (_MARKS.sub("", raw).strip() for raw in _SENTENCE.split(_prose(text)))


def _prose(text: str) -> str:
    """Without blocks. A text that carries notes of ours has none: somebody else would be quoted with our words."""
    return "" if is_own(text) else without_blocks(clean(text), instead="\n\n")


def _listed(text: str) -> Iterator[str]:
    """The questions that are listed below a heading that says that they are open."""
    is_below = False
    for line in _prose(text).splitlines():
        listed = _LISTED.match(line.strip())
        if _HEADING.match(line):
            is_below = True
        elif is_below and listed:
            said = _MARKS.sub("", listed[1].strip().removeprefix("[ ] ")).strip()
            if said.endswith("?") or _QUESTION.match(said):
                yield said
        elif line.strip():
            is_below = False


def _seen(text: str, speaker: StatedBy, at_ms: int | None, *, is_answer: bool = False) -> OpenSeen:
    said = stated(text, speaker, at_ms)
    return OpenSeen(excerpt=said.excerpt, speaker=speaker, at_ms=at_ms, is_answer=is_answer)
