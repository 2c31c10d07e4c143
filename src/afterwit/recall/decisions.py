"""What was decided about a task: the deciding turns of the one or two past conversations that truly match it.

The user's words alone, the newest conversation first: an agent may only repeat what a page told it. Where a later
conversation decides the same matter again, its words lead, and what is quoted of the earlier one is marked as earlier.
Nothing is the usual answer. Reads nothing but `Talks`; who finds the matching talks is `talk_matches`, who cuts to a
budget and writes down who spoke when is `prompt_block`.
"""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from afterwit.recall.places import Question
from afterwit.recall.talk_matches import PLAIN, AskedPrompt, Match, PromptPart, is_strong
from afterwit.recall.talks import USER, Sentence, Talks, TalkTurn, terms_of

_KIN = 1.3  # what two decisions of one matter share, in terms that no other talk holds
_KIN_CHANGE = 0.85  # the same, where the later one says that it changes something
_KIN_WORTH = 0.6  # what a later decision of the matter has at least of the prompt
_CHANGE_KIN = 1.8  # or, where it has less and says that it changes something, of the earlier decision
_NEARLY = 0.6
_AROUND = 3  # turns around the best one that may be quoted without a word of the prompt
_AROUND_IN_LONG = 1
_LONG_TALK = 16  # turns
_MOST_TURNS = 8
_MOST_EARLIER = 4
_MOST_FORCE = 3.0
_LONGEST_QUOTE = 420
_JOINT = " … "


class Quote(NamedTuple):
    """Words from a past conversation: one clean line."""

    text: str
    speaker: str
    at_ms: int
    session: str
    is_earlier: bool = False  # a later talk came back to the matter


def decided(talks: Talks, question: Question) -> list[Quote]:
    """What was decided about it, the newest talk first; mostly nothing."""
    asked = AskedPrompt(talks, question.prompt)
    for part in asked.parts():
        matches = asked.matches(part)
        strong = [match for match in matches if is_strong(match, matches, part)]
        if strong:
            return _quotes(asked, part, _chosen(asked, strong, matches))
    return []


def _chosen(asked: AskedPrompt, strong: Sequence[Match], matches: Sequence[Match]) -> list[Match]:
    """The best talk and the newest that decides its matter too; else the second best that is strong as well."""
    best = strong[0]
    later = _later(asked, best, matches)
    if later is not None:
        return [later, best]
    others = [match for match in strong[1:] if match.score >= best.score / 2]
    return sorted([best, *others[:1]], key=lambda match: -match.at_ms)


def _later(asked: AskedPrompt, best: Match, matches: Sequence[Match]) -> Match | None:
    """The newest talk that decides the matter after this one: of those that share nearly as much with it as any."""
    close = [(asked.kinship(best, match), match) for match in _after(best, matches) if match.worth >= _KIN_WORTH]
    kin = [(shared, match) for shared, match in close if shared >= _needed(match)]
    changes = [(asked.kinship(best, match), match) for match in _after(best, asked.about(best)) if match.is_change]
    kin += [(shared, match) for shared, match in changes if shared >= _CHANGE_KIN]
    enough = _NEARLY * max((shared for shared, _ in kin), default=0.0)
    return max((match for shared, match in kin if shared >= enough), key=lambda match: match.at_ms, default=None)


def _after(best: Match, matches: Sequence[Match]) -> list[Match]:
    return [match for match in matches if match.at_ms > best.at_ms and match.session != best.session]


def _needed(later: Match) -> float:
    return _KIN_CHANGE if later.is_change else _KIN


def _quotes(asked: AskedPrompt, part: PromptPart, chosen: Sequence[Match]) -> list[Quote]:
    newest, *older = chosen
    quotes = _quoted(asked, part, newest, is_earlier=False)
    for match in older:
        quotes += _quoted(asked, part, match, is_earlier=asked.kinship(match, newest) >= _needed(newest))
    return quotes


def _quoted(asked: AskedPrompt, part: PromptPart, match: Match, *, is_earlier: bool) -> list[Quote]:
    """The deciding turns of a talk, in order."""
    values = {at: _value(asked, part, match, at) for at in range(len(match.turns))}
    worthy = (at for at in values if values[at] > 0 and at != match.given)
    most = _MOST_EARLIER if is_earlier else _MOST_TURNS
    chosen = sorted(heapq.nlargest(most, worthy, key=lambda at: (values[at], at)))
    texts = ((match.turns[at], _text(match.turns[at], part)) for at in chosen)
    return [Quote(text, turn.speaker, turn.at_ms, match.session, is_earlier) for turn, text in texts if text]


def _value(asked: AskedPrompt, part: PromptPart, match: Match, at: int) -> float:
    """How much a turn should be quoted: it decides, and it is about the task or stands beside what is."""
    turn = match.turns[at]
    mark = asked.mark(match, at, part)
    around = _AROUND if len(match.turns) <= _LONG_TALK else _AROUND_IN_LONG
    is_near = abs(at - match.best) <= around
    if turn.speaker != USER or turn.force < PLAIN or not (mark or is_near):
        return 0.0
    return min(turn.force, _MOST_FORCE) + mark / asked.unit + is_near


def _text(turn: TalkTurn, part: PromptPart) -> str:
    """What the turn says, without its questions; of a long one the sentences that matter, in order."""
    said = [sentence for sentence in turn.sentences if sentence.force > 0 and sentence.text]
    if sum(len(sentence.text) + 1 for sentence in said) <= _LONGEST_QUOTE:
        return " ".join(sentence.text for sentence in said)
    kept: list[int] = []
    room = _LONGEST_QUOTE
    for at in sorted(range(len(said)), key=lambda at: (-_weight(said[at], part), at)):
        cost = len(said[at].text) + len(_JOINT)
        if cost <= room:
            kept.append(at)
            room -= cost
    return _JOINT.join(said[at].text for at in sorted(kept))


def _weight(sentence: Sentence, part: PromptPart) -> float:
    return sentence.force + sum(part.tells.get(term, 0.0) for term in set(terms_of(sentence.text))) / 5
