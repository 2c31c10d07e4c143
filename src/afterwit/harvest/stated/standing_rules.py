"""Rules of a user that say of themselves that they last: "remember …", "from now on …", "always …", "never …".

What people mean is read by a model or decided by a person. Taken here are only the plainest forms: a whole sentence
that the user typed and that begins so, without a doubt, a question or a quotation, and with nothing of the moment in
it. It is quoted as it was typed, and waits until the same is said in another session, or a person approves it. Who says
the opposite later takes it back at once.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from afterwit.harvest.harvester import Grouped
from afterwit.harvest.stated.recurrence import last_words, matters, stated
from afterwit.harvest.stated.statements import is_general, salient, typed_sentences
from afterwit.model.digest import Digest
from afterwit.model.knowledge import EVERYWHERE, STANDING, Draft, Scope, ScopeKind, Seen, Sighting
from afterwit.text.patterns import regex

_MOST = 6  # a session
_LEAD = regex(r"^(?:(?:please|pls|also|and|but|ok|okay)\b[\s,:;!-]*)+", re.IGNORECASE)
_NO_ORDER = (  # what follows "always" and "never" in a remark
    r"(?!(?:mind|again|before|once|really|quite|a|an|the|in|on|at|my|good|nice|great|true|false|null|empty|going|been"
    r"|seen|saw|got|had|was|were|is|are|knew|thought|wanted|said|did|does|works?|fails?|be able)\b)"
    r"(?!\w+(?<!s)s\b)(?!\w{3,}ed\b)"
)
_LASTS = regex(
    r"^(?:from (?:now|here|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future)"
    r"(?:,|\b(?! (?:with|to|and|releases?|versions?|prs?|work|plans?|steps?)\b)) ?\w"
    r"|, from now on[.!]*$| from now on[.!]*$"
    r"|^remember(?::|,| that| to| not to| (?=(?:we|our|you|i|never|always)\b))(?! (?:time|one|bug|day|was|were)\b) ?\S"
    rf"|^(?:always|never(?: ever)?) {_NO_ORDER}[a-z]{{2,}}",
    re.IGNORECASE,
)
_DOUBT = regex(
    r"\?|:$|\b(?:maybe|perhaps|probably|possibly|might|i (?:think|guess|suppose|believe|wonder|assume|wish|hope)"
    r"|not sure|unsure|unless i|seems?|what if|should we|shall we)\b",
    re.IGNORECASE,
)


class StandingRules:
    """What a user said that says of itself that it lasts."""

    name = STANDING
    version = 6
    minimum_stories = 2
    seen = Seen

    def see(self, digest: Digest) -> Iterable[Grouped[Seen]]:
        rules: dict[str, Grouped[Seen]] = {}
        for said in digest.prompts:
            for text in standing_sentences(said.text) if said.is_person else ():
                rules.setdefault(text, Grouped(digest.repo, stated(text, said.at_ms)))
        return list(islice(rules.values(), _MOST))

    def conclude(self, group: str, sightings: Sequence[Sighting[Seen]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group) if group else EVERYWHERE
        for matter, replaced in last_words(matters(sightings)):
            yield matter.draft(self.name, scope, matter.last, replaced)


def standing_sentences(prompt: str) -> list[str]:
    """The sentences of a prompt that say of themselves that they last, as they were typed."""
    return [text for text in typed_sentences(prompt) if is_standing(text)]


def is_standing(sentence: str) -> bool:
    """Whether a sentence that a person typed says of itself that it lasts."""
    bare = _LEAD.sub("", sentence)
    if not _LASTS.search(bare) or _DOUBT.search(bare):
        return False
    return is_general(bare) and bool(salient(bare))
