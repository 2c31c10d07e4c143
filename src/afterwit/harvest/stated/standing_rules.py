"""Standing rules by the user: what is to be done always, never, from now on, whenever something comes up.

Only what a person typed counts, and only a rule without a moment: an order, a habit ("we only use …"), a convention.
What is observed ("it never ends"), asked, supposed, or meant for the task at hand is left out. The user's words are
quoted, never rewritten.
"""

import re
from collections.abc import Iterable, Sequence

from afterwit.harvest.harvester import Grouped
from afterwit.harvest.stated.recurrence import matters
from afterwit.harvest.stated.statements import Stated, StatedBy, is_general, stated, typed_statements, with_reason
from afterwit.model.digest import Digest
from afterwit.model.knowledge import EVERYWHERE, Category, Draft, Scope, ScopeKind, Sighting
from afterwit.text.pasted import own_words

_MOST = 4
_LEAD = (
    r"(?:^|[,;:(]\s*|\b(?:please|also|and|but|so|then|ok|okay|should|must|shall|to|you|we|i|do|will|'ll|agents?"
    r"|workers?)\s+)"
)
_VERB = (
    r"(?!(?:mind|good|nice|great|helpful|knew|wanted|been|seen|saw|got|had|was|were|going"
    r"|be able)\b)(?!\w+(?<!s)s\b)(?!\w{3,}ed\b)[a-z]{2,}"
)
_RULE = re.compile(
    rf"{_LEAD}(?:always|never)\s+(?:ever\s+)?{_VERB}"
    r"|\b(?:from now on|going forward|henceforth|as a (?:general )?rule|by convention|(?:our|the) (?:convention"
    r"|policy|rule) (?:here )?is)\b"
    r"|\bin (?:the )?future,? (?:please |always |never |do(?:n't| not) |you |we )"
    r"|\b(?:we|i) (?:always|never|only|generally|usually|strictly) (?:use|run|commit|push|write|keep|name|put|add"
    r"|want|test|mock|merge|squash|rebase|deploy|support|target|log|import|prefer)\b"
    r"|\b(?:we|i) (?:do not|don't|dont|never) (?:use|mock|commit|push|support|add|write|want you to|like|allow|merge"
    r"|squash|deploy)\b"
    r"|\b(?:we|i) use\b.{2,60}(?:, not\b|\binstead of\b|\brather than\b|\bfor (?:all|every|our)\b|\beverywhere\b)"
    r"|\b(?:we|i) prefer\b|\bprefer\b.{2,80}\b(?:over|to|instead of|rather than)\b"
    r"|\b(?:before|after|on|for|with|in) (?:every|each|any) (?:commit|push|change|test|pr|pull request|release|new"
    r"|file|edit|task|feature|merge)\b"
    r"|\b(?:whenever|every time|each time|any ?time) (?:you|we|i|there|a|an)\b"
    r"|\bwherever (?:we can|possible)\b|\b(?:on purpose|by design|intentionally)\b"
    r"|^\W*(?:please )?(?:all|every|each|any) [\w` -]{2,40}\b(?:must|should|needs? to|has to|have to|gets?) "
    r"|\b(?:use|write|keep|put|name|store|format)\b.{2,60}\b(?:in|for|on) (?:all|every|each|any) \w+"
    r"|\b(?:do not|don't|dont|no) (?:use|add|write|put|include|create|leave|insert|mention|sign)\b.{2,80}"
    r"\b(?:commits?|commit messages?|tests|comments|docs|documentation|code|names|production|ever)\b"
    r"|\b(?:do not|don't|dont) ever\b|\b(?:must|should) (?:always|never)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\?|\b(?:maybe|perhaps|might|could we|can (?:you|we)|would|not sure|i (?:think|guess|feel|wonder|wish|believe)"
    r"|let's say|what if|seems?|looks like|any reason|why (?:is|are|do|does|did|would|not)|how (?:do|does|would|can)"
    r"|does it|is it|are we|do we|wondering|probably|suppose|idea|question)\b",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:in|for|across) (?:all|every|any) (?:of )?(?:my |our |the )?(?:projects?|repos?|repositor\w+)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"\b(?:never|not|avoid|without)\b|n't\b|\bdont\b", re.IGNORECASE)


class StandingRules:
    """Rules that a user gave once and for all."""

    name = "standing-rules"
    version = 3
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        rules: dict[str, Grouped[Stated]] = {}
        for said in digest.prompts:
            for text in typed_statements(said.text) if said.is_person else ():
                reaches_all = bool(_EVERYWHERE.search(text))
                if is_rule(text) and (digest.repo or reaches_all):
                    group = "" if reaches_all else digest.repo
                    whole = with_reason(own_words(said.text), text)
                    rules.setdefault(text, Grouped(group, stated(whole, StatedBy.USER, said.at_ms)))
        return list(rules.values())[:_MOST]

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group) if group else EVERYWHERE
        for matter in matters(sightings):
            category = Category.PITFALL if _FORBIDS.search(matter.last.seen.excerpt) else Category.PATTERN
            yield matter.draft(self.name, scope, category, has_topic=False)


def is_rule(text: str) -> bool:
    """Whether a sentence that a person typed gives a standing rule."""
    return bool(_RULE.search(text)) and not _UNSURE.search(text) and is_general(text)
