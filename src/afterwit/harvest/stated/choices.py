"""Decisions: what was chosen, what was rejected, and why, by the user and, where it says so plainly, by the agent.

A user decides in many forms: "let's keep …, because", "we don't need …", "… should not be the default". A wish for the
task at hand is none: what is shown where, how something is called, an answer on one ticket; nor is a question or a
thought. The sentence with the reason is kept beside it. Of an agent's words only what it calls a decision counts. When
the same matter is decided anew, the later decision supersedes the earlier one and both are kept; an agent never
overrules a user.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.harvester import Grouped
from afterwit.harvest.ids import item_id
from afterwit.harvest.stated.recurrence import Matter, matters, moment
from afterwit.harvest.stated.standing_rules import is_rule
from afterwit.harvest.stated.statements import (
    Speaker,
    Stated,
    attributed,
    is_general,
    salient,
    stated,
    statements,
    typed_statements,
    with_reason,
)
from afterwit.harvest.stated.topics import topic_of
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting, Trigger
from afterwit.text.pasted import own_words

_MOST = 5
_SHARED = 2
_SAME_MATTER = 0.5
_REASON = (
    r"\b(?:because|since|so that|so (?:we|it|that|the|users?)|otherwise|instead|rather|but|as (?:it|we|this"
    r"|that)|over|not|to (?:be|stay|keep|avoid))\b"
)
_CHOICE = re.compile(
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
_OF_AGENT = re.compile(
    r"\b(?:we|the user and i)(?:'ve| have)? (?:decided|agreed|settled) (?:on|to|that|not)\b|^(?:decision|decided"
    r"|chosen)\s*:\s"
    r"|\bchose\b.*\b(?:over|instead of|rather than)\b.*\b(?:because|since|so that|as it)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\?|\b(?:maybe|perhaps|might|could|can you|not sure|i (?:wonder|wish|guess)|what if|any reason|why|how (?:do"
    r"|does|would|can)|does it"
    r"|is it|are we|do we|did we|should we|shouldn't we|probably|question|investigate|check whether|review|find out"
    r"|see if|if (?:so|you|we|it|there))\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^\W*(?:(?:ok|okay|yes|yeah|also|and|just|please|then|now|so)\W+)*(?:add|create|remove|fix|update|implement"
    r"|write|make|push|commit|run"
    r"|open|close|generate|mention|spawn|delete|move|rename|show|review|test|check|merge|rebase|try|look|go|do|give"
    r"|tell|put|set|change)\b",
    re.IGNORECASE,
)
_OF_THE_TASK = re.compile(
    r"^[\w.#-]{2,16}: |\b(?:display(?:ed|s)?|shown?|shows|hide|hidden|render(?:ed|s)?|labels?|buttons?|tabs?|icons?"
    r"|colou?rs?|captions?|titles?|wording|renamed?|call (?:it|ours|them|this)|can just|just (?:remove|drop|delete)"
    r"|(?:remove|drop|delete|change|fix) it)\b",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\b(?:instead|no longer|rather|actually|after all|changed (?:my|our) minds?|switch|back to|drop|revert"
    r"|not anymore|replace[sd]?)\b",
    re.IGNORECASE,
)
_PICKED = re.compile(
    r"\b(?:use|using|go(?:ing)? with|keep(?:ing)?|stick(?:ing)? (?:to|with)|switch(?:ing)? to|mov(?:e|ing) to|call"
    r"|chose|decided on)\s+"
    r"(?:the |a |an |our )?(?P<what>[`\w./@-]+)",
    re.IGNORECASE,
)


class Choices:
    """Decisions, and those that took the place of earlier ones."""

    name = "choices"
    version = 3
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        if not digest.repo:
            return []
        found: dict[str, Stated] = {}
        for seen in (*_of_people(digest), *_of_agent(digest)):
            found.setdefault(seen.excerpt, seen)
        return [Grouped(digest.repo, seen) for seen in list(found.values())[:_MOST]]

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group)
        decided = matters(sightings)
        for at, matter in enumerate(decided):
            earlier = [item_id(self.name, scope, one.key) for one in decided[:at] if replaces(matter, one)]
            yield _draft(self.name, scope, matter, tuple(earlier))


def is_choice(text: str) -> bool:
    """Whether a sentence that a person typed decides something for good."""
    if not _CHOICE.search(text) or _UNSURE.search(text) or _ORDER.search(text) or _OF_THE_TASK.search(text):
        return False
    return is_general(text) and not is_rule(text)


def is_agents_choice(text: str) -> bool:
    """Whether an agent says that something was decided."""
    return bool(_OF_AGENT.search(text)) and not _UNSURE.search(text) and is_general(text)


def replaces(later: Matter, earlier: Matter) -> bool:
    """Whether the later decision decides the matter of the earlier one anew."""
    if later.channel is not Channel.USER and earlier.channel is Channel.USER:
        return False
    shared = later.words & earlier.words
    if len(shared) < _SHARED or len(shared) < _SAME_MATTER * min(len(later.words), len(earlier.words)):
        return False
    if moment(later.first) <= moment(earlier.last):
        return False
    after, before = later.first.seen.excerpt, earlier.last.seen.excerpt
    return later.is_negative != earlier.is_negative or bool(_ANEW.search(after)) or _picked(after) != _picked(before)


def _picked(text: str) -> frozenset[str]:
    found = _PICKED.search(text)
    return salient(found["what"]) if found else frozenset()


def _of_people(digest: Digest) -> Iterator[Stated]:
    for said in digest.prompts:
        last = ""
        for text in filter(is_choice, typed_statements(said.text) if said.is_person else ()):
            if text not in last:
                last = with_reason(own_words(said.text), text)
                yield stated(last, Speaker.USER, said.at_ms)


def _of_agent(digest: Digest) -> Iterator[Stated]:
    for said in digest.stated:
        for text in () if said.is_person else statements(said.text):
            if is_agents_choice(text):
                yield stated(text, Speaker.AGENT, said.at_ms)
    for summary in digest.summaries:
        for text in statements(summary):
            if is_agents_choice(text):
                yield stated(text, Speaker.SUMMARY, digest.ended_ms)


def _draft(name: str, scope: Scope, matter: Matter, earlier: tuple[str, ...]) -> Draft:
    said = matter.last
    return Draft(
        harvester=name,
        key=matter.key,
        scope=scope,
        category=Category.FACT,
        sentence=attributed(said.seen.speaker, moment(said), said.seen.excerpt),
        channel=matter.channel,
        triggers=(Trigger(topic=topic_of(said.seen.excerpt)),),
        evidence=matter.evidence,
        supersedes=earlier,
    )
