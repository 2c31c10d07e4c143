"""Corrections by the user that state something general: "no, we use X here, not Y", "screenshots always show …".

Most corrections are about the task at hand and teach nothing. Taken is a sentence of a correcting prompt that puts one
thing in place of another, or says what holds for all of a kind. What begins with "it" needs the talk around it. Rules
that stand by their own form are standing rules and not repeated here.
"""

import re
from collections.abc import Iterable, Sequence

from afterwit.harvest.harvester import Grouped
from afterwit.harvest.stated.choices import is_choice
from afterwit.harvest.stated.recurrence import stated_pitfalls
from afterwit.harvest.stated.standing_rules import is_rule
from afterwit.harvest.stated.statements import Speaker, Stated, is_general, stated, typed_statements
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Channel, Draft, Sighting

_MOST = 3
_OPENING = re.compile(
    r"^\W*(?:(?:no|nope|wait|stop|wrong|actually|ok|but|that'?s (?:not right|wrong"
    r"|not what i \w+(?: \w+)?))\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\buse\b.{2,60}(?:, not\b|\bnot\b|\binstead of\b|\brather than\b)|\b(?:do not|don't|dont) use\b.{2,80}\b(?:use"
    r"|but|instead|we)\b"
    r"|\b(?:should|must|needs?|has to|have to)\b.*\b(?:any|every|all|each|always|only|whenever|never)\b"
    r"|\b(?:any|every|all|each|always|only|whenever|never)\b.*\b(?:should|must|needs?|has to|have to)\b"
    r"|\bwe (?:use|don't|do not|never|only|always|have)\b.*\b(?:not|instead|for|because|since|so)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(r"\?|\b(?:maybe|perhaps|why|i (?:think|guess)|not sure|shouldn't we|right)\b", re.IGNORECASE)


class Reproofs:
    """Corrections that would have been worth knowing before."""

    name = "reproofs"
    version = 3
    minimum_stories = 2
    seen = Stated

    def see(self, digest: Digest) -> Iterable[Grouped[Stated]]:
        if not digest.repo:
            return []
        found: dict[str, Stated] = {}
        for at in digest.corrections:
            said = digest.prompts[at]
            for text in typed_statements(said.text) if said.is_person else ():
                if is_lesson(text):
                    found.setdefault(text, stated(text, Speaker.USER, said.at_ms))
        return [Grouped(digest.repo, seen) for seen in list(found.values())[:_MOST]]

    def conclude(self, group: str, sightings: Sequence[Sighting[Stated]]) -> Iterable[Draft]:
        return stated_pitfalls(self.name, group, sightings, Speaker.USER, Channel.USER)


def is_lesson(text: str) -> bool:
    """Whether a sentence of a correction holds beyond what it corrects."""
    rest = _OPENING.sub("", text)
    if not _GENERAL.search(rest) or _UNSURE.search(rest) or not is_general(rest):
        return False
    return not is_rule(text) and not is_choice(text)
