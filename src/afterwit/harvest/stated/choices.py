"""What a user decides: decisions with what they reject and why, and corrections that state something general.

**Choices.** A user decides in many forms: "let's keep …, because", "we don't need …", "… should not be the default". A
wish for the task at hand is none: what is shown where, how something is called, an answer on one ticket; nor is a
question or a thought. The sentence with the reason is kept beside it. Of an agent's words only what it calls a decision
counts. When the same matter is decided anew, the later decision supersedes the earlier one and both are kept; an agent
never overrules a user.

**Reproofs**: "no, we use X here, not Y", "screenshots always show …". Most corrections are about the task at hand and
teach nothing. Taken is a sentence of a correcting prompt that puts one thing in place of another, or says what holds
for all of a kind. What begins with "it" needs the talk around it. Rules that stand by their own form are standing rules
and not repeated here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.harvester import Grouped, item_id
from afterwit.harvest.stated.changes_of_mind import last_words, replaces
from afterwit.harvest.stated.recurrence import first_statements, matters
from afterwit.harvest.stated.standing_words import is_standing
from afterwit.harvest.stated.statements import (
    Stated,
    StatedBy,
    is_general,
    stated,
    statements,
    typed_statements,
    with_reason,
)
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Draft, Scope, ScopeKind, Sighting
from afterwit.text.pasted import own_words
from afterwit.text.patterns import regex

_MOST = 5
_REASON = (
    r"\b(?:because|since|so that|so (?:we|it|that|the|users?)|otherwise|instead|rather|but|as (?:it|we|this"
    r"|that)|over|not|to (?:be|stay|keep|avoid))\b"
)
_CHOICE = regex(
    rf"\blet'?s (?:go with|use|keep|stick (?:to|with)|drop|avoid|not|call|make|move to|switch to)\b.*{_REASON}"
    r"|\b(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|opted|chosen|chose)\b"
    r"|\b(?:we|i)(?:'re| are|'m| am) (?:going with|sticking (?:to|with)|dropping|archiving|keeping|removing"
    r"|not (?:going to|supporting|using|keeping))\b"
    rf"|\b(?:we|i)(?:'ll| will) (?:go with|use|keep|stick (?:to|with)|drop|only support|not)\b.*{_REASON}"
    r"|\b(?:we|you) (?:do not|don't|dont|won't|no longer) (?:need|support|want|care about)\b"
    r"|\bno need (?:for|to (?:support|keep|handle|maintain))\b"
    r"|\b\w+ (?:should|must|shall) (?:not|never|only|remain|stay|default to|be (?:optional|required|opt-?in|read-?only"
    r"|the (?:default|source of truth)|backwards?.compatible|idempotent))\b"
    r"|\b(?:should|must) (?:stick to|stay with|fail (?:if|when|on))\b"
    r"|\b(?:instead of|rather than|in favou?r of)\b.*\b(?:because|since|so that|so we|otherwise|as (?:it|we))\b"
    r"|\b(?:we|i) want\b.*\b(?:not|never|only|at all)\b"
    r"|\b(?:we|it) should (?:follow|match|stick to)\b|\bavoid (?:inventing|using|adding|creating"
    r"|touching|breaking|changing)\b",
    re.IGNORECASE,
)
_OF_AGENT = regex(
    r"\b(?:we|the user and i)(?:'ve| have)? (?:decided|agreed|settled) (?:on|to|that|not)\b|^(?:decision|decided"
    r"|chosen)\s*:\s"
    r"|\bchose\b.*\b(?:over|instead of|rather than)\b.*\b(?:because|since|so that|as it)\b",
    re.IGNORECASE,
)
_UNSURE = regex(
    r"\?|\b(?:maybe|perhaps|might|could|can you|not sure|i (?:wonder|wish|guess)|what if|any reason|why|how (?:do|does"
    r"|would|can)|does it|is it|are we|do we|did we|should we|shouldn't we|probably|question|investigate|check whether"
    r"|review|find out|see if|if (?:so|you|we|it|there))\b",
    re.IGNORECASE,
)
_ORDER = regex(
    r"^\W*(?:(?:ok|okay|yes|yeah|also|and|just|please|then|now|so)\W+)*(?:add|create|remove|fix|update|implement|write"
    r"|make|push|commit|run|open|close|generate|mention|spawn|delete|move|rename|show|review|test|check|merge|rebase"
    r"|try|look|go|do|give|tell|put|set|change)\b",
    re.IGNORECASE,
)
_OF_THE_TASK = regex(
    r"^[\w.#-]{2,16}: |\b(?:display(?:ed|s)?|shown?|shows|hide|hidden|render(?:ed|s)?|labels?|buttons?|tabs?|icons?"
    r"|colou?rs?|captions?|titles?|wording|renamed?|call (?:it|ours|them|this)|can just|just (?:remove|drop|delete)"
    r"|(?:remove|drop|delete|change|fix) it)\b",
    re.IGNORECASE,
)
_MOST_REPROOFS = 3
_OPENING = regex(
    r"^\W*(?:(?:no|nope|wait|stop|wrong|actually|ok|but|that'?s (?:not right|wrong"
    r"|not what i \w+(?: \w+)?))\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
_GENERAL = regex(
    r"\buse\b.{2,60}(?:, not\b|\bnot\b|\binstead of\b|\brather than\b)|\b(?:do not|don't|dont) use\b.{2,80}\b(?:use"
    r"|but|instead|we)\b"
    r"|\b(?:should|must|needs?|has to|have to)\b.*\b(?:any|every|all|each|always|only|whenever|never)\b"
    r"|\b(?:any|every|all|each|always|only|whenever|never)\b.*\b(?:should|must|needs?|has to|have to)\b"
    r"|\bwe (?:use|don't|do not|never|only|always|have)\b.*\b(?:not|instead|for|because|since|so)\b",
    re.IGNORECASE,
)
_DOUBTS = regex(r"\?|\b(?:maybe|perhaps|why|i (?:think|guess)|not sure|shouldn't we|right)\b", re.IGNORECASE)


class Choices:
    """Decisions, and those that took the place of earlier ones."""

    name = "choices"
    version = 5
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        said = (*_of_people(digest), *_of_agent(digest)) if digest.repo else ()
        return first_statements(digest.repo, said, _MOST)

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group)
        for matter, earlier in last_words(matters(sightings), replaces):
            replaced = tuple(item_id(self.name, scope, old.key) for old in earlier)
            yield matter.draft(self.name, scope, Category.FACT, supersedes=replaced)


def is_choice(text: str) -> bool:
    """Whether a sentence that a person typed decides something for good."""
    if not _CHOICE.search(text) or _UNSURE.search(text) or _ORDER.search(text) or _OF_THE_TASK.search(text):
        return False
    return is_general(text) and not is_standing(text)


def is_agents_choice(text: str) -> bool:
    """Whether an agent says that something was decided."""
    return bool(_OF_AGENT.search(text)) and not _UNSURE.search(text) and is_general(text)


def _of_people(digest: Digest) -> Iterator[Stated]:
    for said in digest.prompts:
        last = ""
        for text in filter(is_choice, typed_statements(said.text) if said.is_person else ()):
            if text not in last:
                last = with_reason(own_words(said.text), text)
                yield stated(last, StatedBy.USER, said.at_ms)


def _of_agent(digest: Digest) -> Iterator[Stated]:
    for said in digest.stated:
        for text in () if said.is_person else statements(said.text):
            if is_agents_choice(text):
                yield stated(text, StatedBy.AGENT, said.at_ms)
    for summary in digest.summaries:
        for text in statements(summary):
            if is_agents_choice(text):
                yield stated(text, StatedBy.SUMMARY, digest.ended_ms)


class Reproofs:
    """Corrections that would have been worth knowing before."""

    name = "reproofs"
    version = 5
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        prompts = [digest.prompts[at] for at in digest.corrections] if digest.repo else []
        said = (
            stated(text, StatedBy.USER, prompt.at_ms)
            for prompt in prompts
            for text in (typed_statements(prompt.text) if prompt.is_person else ())
            if is_lesson(text)
        )
        return first_statements(digest.repo, said, _MOST_REPROOFS)

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group)
        return [matter.draft(self.name, scope, Category.PITFALL) for matter in matters(sightings)]


def is_lesson(text: str) -> bool:
    """Whether a sentence of a correction holds beyond what it corrects."""
    rest = _OPENING.sub("", text)
    if not _GENERAL.search(rest) or _DOUBTS.search(rest) or not is_general(rest):
        return False
    return not is_standing(text) and not is_choice(text)
