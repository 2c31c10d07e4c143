"""The terms of notes and prompts: words brought to a common form, what each weighs in a text, and what it tells.

What a term weighs in a text depends on that text alone, so that a deck can keep it ready. Standard library only, so
that a hook can import it.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping

from afterwit.model.text import word_counts, words_of

ROUTINE_SHARE = 0.3  # what a term counts that any task may have
_SATURATION = 1.2  # k1 of BM25
_SLOPE = 0.4  # b of BM25
_COMPOUND = re.compile(r"\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b")
_PIVOT = 150  # words of a usual text; a constant, so that weights need no second look at all the others


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
    """What each term weighs in a text: more where it occurs often, less in a long one."""
    norm = _SATURATION * (1 - _SLOPE + _SLOPE * sum(counts.values()) / _PIVOT)
    return {term: round(count * (_SATURATION + 1) / (count + norm), 2) for term, count in counts.items()}


def rarity(size: int, holders: int) -> float:
    """How much a term tells: more, the fewer texts hold it."""
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
