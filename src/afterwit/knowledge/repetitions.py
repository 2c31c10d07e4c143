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
_SHARE = 0.6  # of the weight of a clause that the line must hold
_SHARE_PRESSED = 0.45  # the same, of what denies or insists: a task hardly ever does
_LEAST = 1.3  # weight of what both say
_LEAST_DENIED = 1.0  # the same, of what both deny: a task hardly ever names what is not to be done
_LEAST_INSISTED = 0.7  # the same, where the user says that they say it again
_OFTEN = 0.35  # weight of a word that every task has
_OF_THE_MOMENT = 2.0  # weight of a number
_COVERED = 0.25  # of the weight of a clause of the line that must be said
_SIDES = (0, 1)  # wanted, denied
_NOT = r"(?: not| never|n'?t)\b"
_AUX = r"\b(?:should|must|is|are|was|were|do|does|did|can|could|will|would|may|need|has|have|wo|ca)"
_NOISE = regex(r"[^\S\n]+|https?://\S+")
_LEAD = regex(  # what stands before what is wanted
    r"^(?:(?:ok(?:ay)?|yes|yeah|yep|no(?=[,.!])|nope|right|so|then|and|but|also|hm+|well|great|good|cool|sure|wait"
    r"|actually|sorry|now|pl?ea?se|pls|if (?:not|so)|(?:when|if|since|because|as|while|once|after|before)\b[^,]*,)"
    r"(?!\w)[\s,.:;!-]*)+",
    re.IGNORECASE,
)
_REQUESTS = regex(
    r"^(?:(?:can|could|would|will) (?:you|we)\b(?: also| please| maybe)*|let'?s|(?:make sure|ensure)(?: that)?)(?!\w)",
    re.IGNORECASE,
)
_INSISTS = regex(
    r"\b(?:as (?:i )?(?:said|always|usual)|i (?:already )?(?:said|told you|asked|mentioned)|did (?:we|you|i) not"
    r"|(?:don'?t|do not|never) forget|remember(?: to| that)?|you (?:keep|forgot|always|still)"
    r"|how (?:many times|often)|once more|like before)\b",
    re.IGNORECASE,
)
_LEFT_OUT = regex(  # who left something out is told to do it
    r"\b(?:you|we)(?:'ve)?(?: still)? (?:forgot|missed|skipped|(?:did|have|had)(?: not|n'?t)|never)\b(?: to)?"
    rf"|\bwhy (?:(?:did|have|do|are|is|would){_NOT}|(?:did|have|do|are|is|would) (?:you|we) not\b|not\b)"
    r"|^(?:did|have|had) (?:you|we) not\b|\b(?:do not|don'?t|never) forget\b",
    re.IGNORECASE,
)
_REPROACHES = regex(r"\bwhy\b|^(?:did|have|had) (?:you|we) not\b|^(?:did|have)n'?t (?:you|we)\b", re.IGNORECASE)
_ASKS = regex(
    r"^(?:what|how|where|when|who|which|is|are|was|were|does|did|do(?= (?:we|you|i|they)\b)|has|have|had|should|shall"
    r"|can|could|would|will|may|any|i wonder|not sure)(?:'?s)?\b|\?$",
    re.IGNORECASE,
)
_SUPPOSES = regex(
    r"^(?:if|when|whenever|since|because|while|unless|until)\b|\b(?:might|seems?|guess|perhaps|wonder)\b", re.IGNORECASE
)
_REPORTS = regex(
    r"^(?:i|it|the|there|this|that|these|those|we|you|they|he|she|my|our|your|some|still|an?|all|looks?|seems?|another"
    r"|one|got|not all|in|on|at|for|with|from|of|by|about|(?:not )?\w+ing)(?:'?(?:s|m|ve|re|ll|d))?\b"
    r"|^(?:\S+ ){1,3}(?:is|are|was|were|has|still|seems?|looks?|did|does)\b",
    re.IGNORECASE,
)
_PRESSES = regex(
    r"\b(?:should|must|needs? to|ha(?:s|ve) to|want(?:ed)?|supposed|prefer|better|no need|never|always|instead)\b"
    rf"|{_AUX}{_NOT}|\byou (?:forgot|keep)\b",
    re.IGNORECASE,
)
_DENIES_ALL = regex(rf"\bwhy\b|{_AUX}{_NOT}", re.IGNORECASE)  # all that stands in its clause
_TURNS = regex(r"\b(?:not|never|no|none|without|avoid|stop|instead of|rather than|out of|nor|neither)\b", re.IGNORECASE)
_CLAUSE = regex(r"[.;:,()?!](?:\s|$)|\s[-–—]\s|\s(?:but|unless|except)\s")
_PART = regex(r"[,;]\s|\s[-–—]\s|\sbut\s")  # of what the user typed
_CONDITION = regex(
    r"(?<!only )\b(?:before|after|when|whenever|once|if|unless|until|while|asked (?:to|about|for))\b[^,:;.]*",
    re.IGNORECASE,
)
_NUMBER = regex(r"\b\d+\b")
_NAME = regex(r"`([^`]*)`")
_UNIT = regex(r"`[^`]*`|\S+")
_EVERYWHERE = frozenset(map(root, ROUTINE))
_IDLE = frozenset(
    map(
        root,
        words_of(
            """again before said told asked ever just well really once done still changes changed updated added fixed
            adding made making uses files""".replace("\n", " ")
        ),
    )
)

Units = tuple[frozenset[str], ...]  # of words, those of one name together


class _Clause(NamedTuple):
    """What a clause says, by sign."""

    sides: tuple[Units, Units]
    is_condition: bool = False  # when something is to be done, not what

    @property
    def weight(self) -> float:
        return sum(map(_weight, self.sides))


class _Understood(NamedTuple):
    """What all clauses of a text say."""

    clauses: tuple[_Clause, ...]
    sides: tuple[frozenset[str], frozenset[str]]
    names: frozenset[str]  # of one word, between backticks


def repetition(line: str, turn: str) -> str:
    """The sentence of a turn that says a line again; "" where none does."""
    there = _understand(line)
    return next((said for said in typed_sentences(_NOISE.sub(" ", turn)) if _says_again(said, there)), "")


def _says_again(sentence: str, line: _Understood) -> bool:
    is_insisting = _INSISTS.search(sentence) is not None
    return any(_is_said(part, line, is_insisting=is_insisting) for part in _pressing(sentence))


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
    if _REPROACHES.search(bare) or _REQUESTS.match(bare):
        return True
    if _ASKS.search(bare) or _SUPPOSES.search(bare):
        return False
    return _PRESSES.search(bare) is not None or not (is_beside_report or _REPORTS.match(bare))


def _is_said(part: str, line: _Understood, *, is_insisting: bool) -> bool:
    """Whether a line says nearly all that a clause says, and nothing of it the other way round."""
    said = _understand(_REQUESTS.sub("", _LEAD.sub("", part)))
    both = tuple(said.sides[side] & line.sides[side] for side in _SIDES)
    opposed = (said.sides[0] & line.sides[1]) | (said.sides[1] & line.sides[0])
    if opposed - both[0] - both[1]:
        return False
    wanted, denied = (min(_weight(_only(both[side], text.clauses, side)) for text in (said, line)) for side in _SIDES)
    whole = sum(clause.weight for clause in said.clauses) + _OF_THE_MOMENT * len(_NUMBER.findall(part))
    least = _LEAST_INSISTED if is_insisting else _LEAST_DENIED if denied > wanted else _LEAST
    share = _SHARE_PRESSED if is_insisting or denied > 0 else _SHARE
    are_telling = len(both[0] | both[1]) >= _FEWEST or not both[1].isdisjoint(line.names)
    is_enough = are_telling and wanted + denied >= max(least, share * whole)
    is_all = denied > 0 and wanted + denied >= whole
    return (is_enough or is_all) and any(
        sum(_weight(_only(both[side], (clause,), side)) for side in _SIDES) >= _COVERED * clause.weight > 0
        for clause in line.clauses
        if not clause.is_condition
    )


def _only(words: frozenset[str], clauses: Iterable[_Clause], side: int) -> Iterator[frozenset[str]]:
    return (unit & words for clause in clauses for unit in clause.sides[side])


def _weight(units: Iterable[frozenset[str]]) -> float:
    """Of all words, each once."""
    weight, seen = 0.0, set[str]()
    for unit in sorted(units, key=lambda unit: (-len(unit), sorted(unit))):
        new = unit - seen
        seen |= new
        weight += 0.0 if not new else _OFTEN if new <= _EVERYWHERE else 1.0
    return weight


@lru_cache(maxsize=8192)
def _understand(text: str) -> _Understood:
    clauses: list[_Clause] = []
    for clause in _CLAUSE.split(_LEFT_OUT.sub(" ", text.replace("’", "'"))):
        at = 0
        for condition in _CONDITION.finditer(clause):
            clauses.append(_clause(clause[at : condition.start()]))
            clauses.append(_clause(condition[0])._replace(is_condition=True))
            at = condition.end()
        clauses.append(_clause(clause[at:]))
    wanted, denied = (
        frozenset(word for clause in clauses for unit in clause.sides[side] for word in unit) for side in _SIDES
    )
    names = (frozenset(map(root, salient(name))) for name in _NAME.findall(text))
    return _Understood(tuple(clauses), (wanted, denied), frozenset().union(*(name for name in names if len(name) == 1)))


def _clause(text: str) -> _Clause:
    sides: tuple[list[frozenset[str]], list[frozenset[str]]] = ([], [])
    is_denied, at = _DENIES_ALL.search(text) is not None, 0
    rest = _DENIES_ALL.sub(" ", text)
    for turn in _TURNS.finditer(rest):
        sides[is_denied].extend(_units(rest[at : turn.start()]))
        is_denied, at = not is_denied, turn.end()
    sides[is_denied].extend(_units(rest[at:]))
    return _Clause((tuple(sides[0]), tuple(sides[1])))


def _units(text: str) -> Iterator[frozenset[str]]:
    units = (frozenset(map(root, salient(unit))) - _IDLE for unit in _UNIT.findall(text))
    return filter(None, units)
