"""Past conversations of one repository, prepared for the question what was decided in them.

A talk is a session, or some turns of a long one, as far as it may be found and quoted: what the user said in it, in one
line, and the words of all that was said. `Talks` is all that recall asks of them; one implementation
lives here, in memory, another one reads the tables of a deck. What a word weighs in a talk depends on that talk alone,
so that both can keep it ready. Putting a talk again replaces what was known of it. Standard library only, so that a
hook can import it.
"""

import math
import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from afterwit.text.words import word_counts, words_of

LONGEST_QUOTE = 400  # characters of what is quoted of a talk
ROUTINE_SHARE = 0.3  # what a term counts that any task may have
_SATURATION = 1.2  # k1 of BM25
_SLOPE = 0.4  # b of BM25
_COMPOUND = re.compile(r"\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b")
_PIVOT = 150  # words of a usual talk; a constant, so that weights need no second look at all the others


class Quote(NamedTuple):
    """What a user said in a past conversation: one clean line."""

    text: str
    at_ms: int
    session: str


class Talk(NamedTuple):
    quote: Quote
    text: str  # all that was said
    part: int = 0  # of a long session

    @property
    def key(self) -> tuple[str, int]:
        return self.quote.session, self.part

    def unquoted(self) -> "Talk":
        """The talk without what was said in it: found, and never told."""
        return self._replace(quote=self.quote._replace(text=""))


class Talks(Protocol):
    """The talks of one repository, each under a number."""

    def size(self) -> int:
        """How many there are."""

    def place(self, number: int) -> int:
        """Where a talk is in the order of keys."""

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[int, float]]:
        """For each of these terms that is known: the talks that hold it, and what it weighs there."""

    def quotes(self, numbers: Iterable[int]) -> Mapping[int, Quote]:
        """What was said in these talks."""


class TalkIndex:
    """Talks in memory."""

    def __init__(self) -> None:
        self._talks: dict[tuple[str, int], Talk] = {}
        self._holders: defaultdict[str, dict[tuple[str, int], float]] = defaultdict(dict)
        self._keys: list[tuple[str, int]] = []

    def put(self, talk: Talk) -> None:
        """Adds a talk, or replaces what was known of it."""
        before = self._talks.get(talk.key)
        if before is None:
            insort(self._keys, talk.key)
        else:
            for term in counts_of(before.text):
                del self._holders[term][talk.key]
        self._talks[talk.key] = talk
        for term, weight in weights(counts_of(talk.text)).items():
            self._holders[term][talk.key] = weight

    def size(self) -> int:
        return len(self._talks)

    def place(self, number: int) -> int:
        return number

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[int, float]]:
        numbers = {key: number for number, key in enumerate(self._keys)}
        held = {term: holders for term in terms if (holders := self._holders.get(term))}
        return {term: {numbers[key]: weight for key, weight in keys.items()} for term, keys in held.items()}

    def quotes(self, numbers: Iterable[int]) -> Mapping[int, Quote]:
        return {number: self._talks[self._keys[number]].quote for number in numbers}


def terms_of(text: str) -> list[str]:
    """The words of a text, a little more alike than `words_of` makes them: `retry` is `retries`, `log` is `logging`.
    What is written with a dash or an underscore is a name: its parts count, and the whole once more."""
    return [_levelled(word) for word in words_of(_with_whole_names(text))]


def counts_of(text: str) -> Counter[str]:
    """How often a text has each of its terms."""
    counts: Counter[str] = Counter()
    for word, count in word_counts(_with_whole_names(text)).items():
        counts[_levelled(word)] += count
    return counts


def _with_whole_names(text: str) -> str:
    whole = " ".join(compound.replace("-", "").replace("_", "") for compound in _COMPOUND.findall(text.lower()))
    return f"{text} {whole}"


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


ROUTINE = frozenset(
    terms_of(
        """able add again approach ask asking backwards basic behaviour bug build case change changes check class clean
        code commit compatible complete component config configuration convention correct create current dependency
        description design detail developer different docs documentation error example existing expected extend feature
        file finish finished first folder follow function functionality handle helpful high implement improve include
        interface introduce issue keep last logic main mention method module name open parameter part pass path point
        possible problem project propose provide pull quality question read readme refactor remain remove repository
        require requirement run server set settings short show simple small start step style suite summarise system task
        test tests thing things ticket time type unit update user users value version work write"""
    )
)
