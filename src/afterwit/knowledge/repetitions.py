"""Whether a user's turn says again what a line says that was told: then the line was not obeyed. Pure, and by words.

One rule: a clause that the user typed, and that presses (an order, a wish, a reproach; no question, no report), says
hardly anything that the line does not say. A word goes with its sign, whether it is wanted or denied: "never push" and
"push it" share nothing, "don't forget to lint" and "lint first" do. Words that every task has count little, the words
of one name count as one, and a number ties a clause to one thing, so that a task which is merely about the same matter
is none. What was pasted or quoted is not the user's. Silence is preferred: who asks again in wholly other words is
heard where a model reads.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from afterwit.harvest.standing_rules import ROUTINE
from afterwit.harvest.statements import salient, typed_sentences
from afterwit.model.text import regex, root, words_of

_FEWEST = 2  # words that both have, unless both deny the same name
_LEAST, _SHARE = 1.3, 0.7  # weight of what both say, and its share of what the clause says
_LEAST_PRESSED, _SHARE_PRESSED = 0.7, 0.45  # the same, of what denies or reproaches: a task hardly ever does
_OFTEN = 0.35  # weight of a word that every task has
_OF_THE_MOMENT = 2.0  # weight of a number
_COVERED = 0.5  # of the weight of what a clause of the line orders that must be said
_SEVERAL_LINES = 2  # breaks of lines: of what is longer some is pasted, often without any mark
_LONGEST_AMONG_OTHERS = 16  # words of a sentence in it: whoever says something again says it shortly
_NOT = r"(?: not| never|n'?t)\b"
_AUX = r"\b(?:should|must|is|are|was|were|do|does|did|can|could|will|would|may|need|has|have|wo|ca)"
_NOISE = regex(r"[^\S\n]+|https?://\S+")
_LEAD = regex(  # what stands before what is wanted
    r"(?i)^(?:(?:ok(?:ay)?|yes|yeah|yep|no(?=[,.!])|nope|right|so|then|and|but|also|hm+|well|great|good|cool|sure|wait"
    r"|actually|sorry|now|pl?ea?se|pls|if (?:not|so)|(?:when|if|since|because|as|while|once|after|before)\b[^,]*,)"
    r"(?!\w)[\s,.:;!-]*)+",
)
_REQUESTS = regex(
    r"(?i)"
    r"^(?:(?:can|could|would|will) (?:you|we)\b(?: also| please| maybe)*|let'?s|(?:make sure|ensure)(?: that)?)(?!\w)",
)
_LEFT_OUT = regex(  # who left something out is told to do it
    r"(?i)\b(?:you|we)(?:'ve)?(?: still)? (?:forgot|missed|skipped|(?:did|have|had)(?: not|n'?t)|never)\b(?: to)?"
    rf"|\bwhy (?:(?:did|have|do|are|is|would){_NOT}|(?:did|have|do|are|is|would) (?:you|we) not\b|not\b)"
    r"|^(?:did|have|had) (?:you|we) not\b|\b(?:do not|don'?t|never) forget\b",
)
_ASKS = regex(  # or supposes
    r"(?i)"
    r"^(?:what|how|where|when|who|which|is|are|was|were|does|did|do(?= (?:we|you|i|they)\b)|has|have|had|should|shall"
    r"|can|could|would|will|may|any|not sure|if|whenever|since|because|while|unless|until)(?:'?s)?\b|\?$"
    r"|\b(?:might|seems?|guess|perhaps|wonder)\b",
)
_REPORTS = regex(
    r"(?i)^(?:i|it|the|there|this|that|these|those|we|you|they|he|she|my|our|your|some|still|an?|all|looks?|seems?|another"
    r"|one|got|not all|in|on|at|for|with|from|of|by|about|(?:not )?\w+ing)(?:'?(?:s|m|ve|re|ll|d))?\b"
    r"|^(?:\S+ ){1,3}(?:is|are|was|were|has|still|seems?|looks?|did|does)\b",
)
_PRESSES = regex(
    r"(?i)\b(?:should|must|needs? to|ha(?:s|ve) to|want(?:ed)?|supposed|prefer|better|no need|never|always|instead)\b"
    rf"|{_AUX}{_NOT}|\byou (?:forgot|keep)\b",
)
_DENIES_ALL = regex(rf"(?i)\bwhy\b|{_AUX}{_NOT}")  # all that stands in its clause
_TURNS = regex(r"(?i)\b(?:not|never|no|none|without|avoid|stop|instead of|rather than|out of|nor|neither)\b")
_CLAUSE = regex(r"[.;:,()?!](?:\s|$)|\s[-–—]\s|\s(?:but|unless|except)\s")
_PART = regex(r"[,;]\s|\s[-–—]\s|\sbut\s")  # of what the user typed
_CONDITION = regex(
    r"(?i)((?<!only )\b(?:before|after|when|whenever|once|if|unless|until|while|asked (?:to|about|for))\b[^,:;.]*)",
)
_NUMBER, _NAME, _UNIT = regex(r"\b\d+\b"), regex(r"`([^`]*)`"), regex(r"`[^`]*`|\S+")
_EVERYWHERE = frozenset(map(root, ROUTINE))
_IDLE_WORDS = (
    "again before said told asked ever just well really once done still changes changed updated added fixed adding"
    " made making uses files through one"
)
_IDLE = frozenset(map(root, words_of(_IDLE_WORDS)))


Units = tuple[frozenset[str], ...]  # words, those of one name together
Signed = tuple[frozenset[str], frozenset[str]]  # words that are wanted, and that are denied


class _Said(NamedTuple):
    """What a clause says."""

    sides: tuple[Units, Units]  # wanted, denied
    is_condition: bool  # when something is to be done, not what

    @property
    def weight(self) -> float:
        return sum(map(_weight, self.sides))


def repetition(line: str, turn: str) -> str:
    """The sentence of a turn that says a line again; "" where none does."""
    plain = _NOISE.sub(" ", turn)
    longest = _LONGEST_AMONG_OTHERS if plain.strip().count("\n") >= _SEVERAL_LINES else len(plain)
    sentences = (said for said in typed_sentences(plain) if len(said.split()) <= longest)
    return next((said for said in sentences if _says_again(said, line)), "")


def _says_again(sentence: str, line: str) -> bool:
    is_reproach = _LEFT_OUT.search(sentence) is not None
    return any(_is_said(part, line, is_reproach=is_reproach) for part in _pressing(sentence))


@lru_cache(maxsize=4096)
def _pressing(sentence: str) -> tuple[str, ...]:
    """The clauses of a sentence that want something done, or the whole of it."""
    whole = _LEAD.sub("", sentence)
    parts = [part for part in map(str.strip, _PART.split(whole)) if part]
    is_telling = whole.endswith("?") or _REPORTS.match(whole) is not None
    pressing = [part for part in parts if len(parts) > 1 and _presses(part, is_beside_report=is_telling)]
    return (*pressing, *((whole,) if _presses(whole) else ()))


def _presses(part: str, *, is_beside_report: bool = False) -> bool:
    bare = _LEAD.sub("", part)
    if _LEFT_OUT.search(bare) or _REQUESTS.match(bare) or re.search(r"\bwhy\b", bare, re.IGNORECASE):
        return True
    if _ASKS.search(bare):
        return False
    return _PRESSES.search(bare) is not None or not (is_beside_report or _REPORTS.match(bare))


def _is_said(part: str, line: str, *, is_reproach: bool) -> bool:
    """Whether a line says nearly all that a clause says, and nothing of it the other way round."""
    bare = _REQUESTS.sub("", _LEAD.sub("", part))
    (wants, denies), (wanted, denied) = _words_in(bare), _words_in(line)
    both = (wants & wanted, denies & denied)
    if not any(both) or (wants & denied | denies & wanted) - both[0] - both[1]:
        return False
    said, there = _clauses(bare), _clauses(line)
    positive, negative = (min(_shared(both, text, side) for text in (said, there)) for side in (0, 1))
    whole = sum(clause.weight for clause in said) + _OF_THE_MOMENT * len(_NUMBER.findall(part))
    least, share = (_LEAST_PRESSED, _SHARE_PRESSED) if is_reproach or negative else (_LEAST, _SHARE)
    are_telling = len(both[0] | both[1]) >= _FEWEST or not both[1].isdisjoint(_names(line))
    is_enough = are_telling and positive + negative >= max(least, share * whole)
    orders = (clause for clause in there if not clause.is_condition)
    return (is_enough or (negative > 0 and positive + negative >= whole)) and any(
        sum(_shared(both, (clause,), side) for side in (0, 1)) >= _COVERED * clause.weight > 0 for clause in orders
    )


def _shared(both: Signed, clauses: Iterable[_Said], side: int) -> float:
    return _weight(unit & both[side] for clause in clauses for unit in clause.sides[side])


@lru_cache(maxsize=8192)
def _words_in(text: str) -> Signed:
    wanted, denied = (
        frozenset(word for clause in _clauses(text) for unit in clause.sides[at] for word in unit) for at in (0, 1)
    )
    return wanted, denied


def _weight(units: Iterable[frozenset[str]]) -> float:
    """Of all words, each once."""
    weight, seen = 0.0, set[str]()
    for unit in sorted(units, key=lambda unit: (-len(unit), sorted(unit))):
        new = unit - seen
        seen |= new
        weight += 0.0 if not new else _OFTEN if new <= _EVERYWHERE else 1.0
    return weight


@lru_cache(maxsize=8192)
def _clauses(text: str) -> tuple[_Said, ...]:
    pieces = (_CONDITION.split(clause) for clause in _CLAUSE.split(_LEFT_OUT.sub(" ", text.replace("’", "'"))))
    return tuple(_said(piece, is_condition=at % 2 > 0) for split in pieces for at, piece in enumerate(split))


def _said(clause: str, *, is_condition: bool) -> _Said:
    sides: tuple[list[frozenset[str]], list[frozenset[str]]] = ([], [])
    is_denied = _DENIES_ALL.search(clause) is not None
    for at, piece in enumerate(_TURNS.split(_DENIES_ALL.sub(" ", clause))):
        sides[is_denied ^ bool(at % 2)].extend(_units(piece))
    return _Said((tuple(sides[0]), tuple(sides[1])), is_condition)


def _units(text: str) -> Iterator[frozenset[str]]:
    return filter(None, (frozenset(map(root, salient(unit))) - _IDLE for unit in _UNIT.findall(text)))


def _names(line: str) -> Iterator[str]:
    """Of one word, between backticks."""
    names = (frozenset(map(root, salient(name))) for name in _NAME.findall(line))
    return (name for words in names if len(words) == 1 for name in words)
