"""Past conversations of one repository, prepared for the question what was decided in them.

A talk is a session as far as it may be quoted: turns in order, each taken apart into sentences that say how far they
decide something. `Talks` is all that recall asks of them; one implementation lives here, in memory, another one reads
the tables of a deck. What a word weighs in a talk depends on that talk alone, so that both can keep it ready. Putting a
talk again replaces what was known of it. Standard library only, so that a hook can import it.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from afterwit.text.words import words_of

USER = "user"
AGENT = "agent"
_SATURATION = 1.2  # k1 of BM25
_SLOPE = 0.4  # b of BM25
_COMPOUND = re.compile(r"\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b")
_PIVOT = 150  # words of a usual talk; a constant, so that weights need no second look at all the others


class Sentence(NamedTuple):
    text: str  # one clean line
    force: float  # 0: decides nothing; 1: decides by its form; more: plainly


class TalkTurn(NamedTuple):
    """What somebody said at once."""

    speaker: str
    at_ms: int
    sentences: tuple[Sentence, ...]  # that can be quoted
    terms: frozenset[str] = frozenset()  # of all that was said
    is_change: bool = False  # says that something decided before is different now

    @property
    def force(self) -> float:
        return max((sentence.force for sentence in self.sentences), default=0.0)


class Talk(NamedTuple):
    session: str
    at_ms: int
    turns: tuple[TalkTurn, ...]
    counts: Mapping[str, int]  # how often each term occurs in all that was said


class Talks(Protocol):
    """The talks of one repository."""

    def size(self) -> int:
        """How many there are."""

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        """For each of these terms that is known: the sessions that hold it, and what it weighs there."""

    def turns(self, session: str) -> Sequence[TalkTurn]:
        """What was said in a session, in order."""


class TalkIndex:
    """Talks in memory."""

    def __init__(self) -> None:
        self._talks: dict[str, Talk] = {}
        self._holders: defaultdict[str, dict[str, float]] = defaultdict(dict)

    def put(self, talk: Talk) -> None:
        """Adds a talk, or replaces what was known of it."""
        before = self._talks.get(talk.session)
        for term in before.counts if before else ():
            del self._holders[term][talk.session]
        self._talks[talk.session] = talk
        for term, weight in weights(talk.counts).items():
            self._holders[term][talk.session] = weight

    def size(self) -> int:
        return len(self._talks)

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        return {term: holders for term in terms if (holders := self._holders.get(term))}

    def turns(self, session: str) -> Sequence[TalkTurn]:
        return self._talks[session].turns


def terms_of(text: str) -> list[str]:
    """The words of a text, a little more alike than `words_of` makes them: `retry` is `retries`, `log` is `logging`.
    What is written with a dash or an underscore is a name: its parts count, and the whole once more."""
    whole = " ".join(compound.replace("-", "").replace("_", "") for compound in _COMPOUND.findall(text.lower()))
    return [_levelled(word) for word in words_of(f"{text} {whole}")]


def counts_of(text: str) -> Counter[str]:
    return Counter(terms_of(text))


def weights(counts: Mapping[str, int]) -> dict[str, float]:
    """What each term weighs in a talk: more where it occurs often, less in a long talk."""
    norm = _SATURATION * (1 - _SLOPE + _SLOPE * sum(counts.values()) / _PIVOT)
    return {term: round(count * (_SATURATION + 1) / (count + norm), 2) for term, count in counts.items()}


def rarity(size: int, holders: int) -> float:
    """How much a term tells: more, the fewer talks hold it."""
    return math.log(1 + (size - holders + 0.5) / (holders + 0.5))


def _levelled(word: str) -> str:
    if len(word) > 4 and word.endswith("e"):
        return word[:-1]
    if word.endswith("i"):
        return f"{word[:-1]}y"
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word
