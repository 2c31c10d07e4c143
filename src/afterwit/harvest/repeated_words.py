"""What a user says again and again: the same words in the main, in three or more sessions of a repository.

Any sentence that was typed counts, not only those that say that they last. Which of them is meant as a rule is no
program's to say: what is found here needs a person's approval, and is told to nobody before. Left out are commonplaces
of the work ("commit and push", "review this PR"): sentences without telling words beyond these, and what is said as
often in several repositories.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.harvester import NEVER_ALONE, Grouped, by_repo
from afterwit.harvest.standing_rules import is_standing
from afterwit.harvest.statements import (
    ALIKE,
    StatedMatter,
    is_general,
    likeness,
    matters,
    moment,
    salient,
    stated,
    typed_sentences,
)
from afterwit.model.digest import Digest
from afterwit.model.knowledge import REPEATED, Draft, Seen, Sighting
from afterwit.model.text import words_of

SESSIONS = 3
_MOST = 40  # sentences of a session
_FEWEST_WORDS = 4
_ROUTINE = frozenset(
    words_of(
        """again ahead answer approve ask bit branch build bug check ci clean close comment commit complete confirm
        continue create current debug delete deploy describe diff doc docs done edit ensure error everything explain
        fail failing feature feedback find finish first fixed go good green help issue keep latest lint local main
        master merge next okay open options pass pipeline pr problem proceed pull push question read ready rebase
        remaining remove repo request resolve result retry review run same sense session start status step stop
        suggest sure task tell test tests think time todo try typecheck verify wait work works write yes yet"""
    )
)


class RepeatedWords:
    """What a user keeps saying."""

    name = REPEATED
    version = 2
    minimum_stories = NEVER_ALONE
    seen = Seen

    def see(self, digest: Digest) -> Iterable[Grouped[Seen]]:
        texts: dict[str, Grouped[Seen]] = {}
        for said in digest.prompts if digest.repo else ():
            for text in filter(_is_telling, typed_sentences(said.text)) if said.is_person else ():
                texts.setdefault(text, Grouped(_longest_word(text), stated(text, said.at_ms)))
        return list(texts.values())[:_MOST]

    def conclude(self, group: str, sightings: Sequence[Sighting[Seen]]) -> Iterable[Draft]:  # noqa: ARG002 - a word
        often = {scope: list(_often(said)) for scope, said in by_repo(sightings).items()}
        for scope, said in often.items():
            elsewhere = [matter for other, theirs in often.items() if other != scope for matter in theirs]
            for matter in said:
                if not any(likeness(matter.words, other.words) >= ALIKE for other in elsewhere):
                    yield matter.draft(self.name, scope, _plainest(matter))


def _is_telling(text: str) -> bool:
    """Whether a sentence says something of its own that outlasts its day. Those that say that they last are standing
    rules."""
    words = sum(word.strip(".,;:!?()'`").replace("'", "").isalpha() for word in text.split())
    return words >= _FEWEST_WORDS and bool(_own_words(text)) and is_general(text) and not is_standing(text)


def _own_words(text: str) -> frozenset[str]:
    return salient(text) - _ROUTINE


def _longest_word(text: str) -> str:
    """By which sentences are brought together: those that share most of their words share this one."""
    return min(_own_words(text), key=lambda word: (-len(word), word))


def _often(sightings: Iterable[Sighting[Seen]]) -> Iterator[StatedMatter]:
    return (matter for matter in matters(sightings) if len(matter.stories) >= SESSIONS)


def _plainest(matter: StatedMatter) -> Sighting[Seen]:
    """In the words that were used most, else in the fewest."""
    counts = Counter(sighting.seen.excerpt for sighting in matter.sightings)
    return max(matter.sightings, key=lambda said: (counts[said.seen.excerpt], -len(said.seen.excerpt), moment(said)))
