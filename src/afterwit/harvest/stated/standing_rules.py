"""Standing words of the user: rules, facts, preferences and decisions that hold from the session that they are said in.

Only what a person typed counts; which sentences of it stand is up to `standing_words`. They are quoted in the user's
own words, with a reason that follows them, and without what redaction took out. One session is enough, and a later word
on the same matter takes the place of an earlier one at once. They are told at the start, at a prompt that has two of
their telling words, and after a failure that shows the error code they speak of.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from afterwit.guard.placeholders import PLACEHOLDER
from afterwit.harvest.harvester import Grouped, item_id
from afterwit.harvest.stated.changes_of_mind import last_words, takes_over
from afterwit.harvest.stated.recurrence import matters
from afterwit.harvest.stated.standing_words import standing_clause, standing_sentences
from afterwit.harvest.stated.statements import OF_THE_PLACE, Stated, StatedBy, momentary, salient, stated, with_reason
from afterwit.model.digest import Digest
from afterwit.model.knowledge import EVERYWHERE, STANDING, Category, Draft, Scope, ScopeKind, Sighting, Trigger
from afterwit.text.pasted import own_words
from afterwit.text.patterns import regex

_MOST = 6
_MOST_TOPIC_WORDS = 5
_MOST_ERROR_WORDS = 4
_EVERYWHERE = regex(
    r"\b(?:in|for|across) (?:all|every|any) (?:of )?(?:my |our |the )?(?:projects?|repos?|repositor\w+)\b",
    re.IGNORECASE,
)
_FORBIDS = regex(r"\b(?:never|not|avoid|without)\b|n't\b|\bdont\b", re.IGNORECASE)
_HOME = regex(r"(?<![\w.~])(?:/(?:Users|home|var/home)/(?:‹user:[0-9a-f]{4,16}›|[\w.-]+)|/root)(?=/)")
_ERROR_CODE = regex(
    r"\b(?:HTTP|status|error|code|exit) (?:code )?(\d{1,4})\b|\b([45]\d\d)s?\b|\b(E[A-Z]{4,20}|[A-Z]{1,5}\d{3,5})\b"
)
_WORD = regex(r"[a-z][a-z0-9]{3,30}")
_ERROR_TALK = ("http", "status", "error", "code", "exit")


class StandingRules:
    """What a user said once and for all."""

    name = STANDING
    version = 5
    minimum_stories = 1
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        rules: dict[str, Grouped[Stated]] = {}
        for said in digest.prompts:
            for text in standing_sentences(said.text) if said.is_person else ():
                words = _quotable(own_words(said.text), text)
                group = "" if _EVERYWHERE.search(text) else digest.repo
                if words:
                    rules.setdefault(words, Grouped(group, stated(words, StatedBy.USER, said.at_ms)))
        return list(islice(rules.values(), _MOST))

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group) if group else EVERYWHERE
        for matter, earlier in last_words(matters(sightings), takes_over):
            text = matter.last.seen.excerpt
            category = Category.PITFALL if _FORBIDS.search(text) else Category.PATTERN
            replaced = tuple(item_id(self.name, scope, old.key) for old in earlier)
            yield matter.draft(
                self.name, scope, category, triggers=(*_topics(text), *_errors(text)), supersedes=replaced
            )


def _quotable(prompt: str, sentence: str) -> str:
    """The sentence as it may be quoted, with its reason; of one that holds a secret or a moment, the clause that stands
    without; "" where nothing is left."""
    for words in (with_reason(prompt, sentence), sentence, standing_clause(sentence)):
        bare = _HOME.sub("~", words)
        if bare and not PLACEHOLDER.search(bare) and not momentary(bare, OF_THE_PLACE):
            return bare
    return ""


def _topics(text: str) -> Iterator[Trigger]:
    """Any two of the words that tell most."""
    telling = sorted(salient(text), key=lambda word: (-len(word), word))[:_MOST_TOPIC_WORDS]
    yield from (Trigger(topic=pair) for pair in combinations(sorted(telling), 2))


def _errors(text: str) -> Iterator[Trigger]:
    """An error code that the sentence names, with another of its words: the number alone may be anything."""
    for match in islice(_ERROR_CODE.finditer(text), 2):
        code = next(filter(None, match.groups())).lower()
        words = (word for word in _WORD.findall(text.lower()) if word != code and word not in _ERROR_TALK)
        yield from (Trigger(error=(code, word)) for word in ("http", *islice(dict.fromkeys(words), _MOST_ERROR_WORDS)))
