"""Words of entries and of queries, and how well an entry fits a query.

Words are folded and stemmed by SQLite's own tokenizer, so that "tests" finds "testing". Words that say nothing count
only where a query has no others. The score is that of BM25 for a field of key and value, with words of the key counted
twice.
"""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import apsw

from afterwit.model.memory_entry import Entry, Hit

MOST_TERMS = 32  # of a query
_LONGEST_WORD = 64
_IDLE = frozenset(
    """a about an and any are as at be by can did do does for from get has have how i in is it its me my no not of on or
    our should so that the their them then there these they this to us was we were what when where which who why will
    with would you your""".split()  # noqa: SIM905
)
_SATURATION = 1.2
_BY_LENGTH = 0.5
_USUAL_LENGTH = 24
_OPTIONS = ["unicode61", "remove_diacritics", "2"]


def words_of(text: str) -> list[str]:
    """All words of a text, stemmed, in order."""
    found = _tokenizer()(
        text.encode("utf-8", "replace"),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return [word[:_LONGEST_WORD] for word in cast("list[str]", found)]


def terms_of(query: str) -> list[str]:
    """The different words of a query that say something, or all of them if none does."""
    words = list(dict.fromkeys(words_of(query)))
    telling = [word for word in words if word not in _idle_stems()]
    return (telling or words)[:MOST_TERMS]


def weight(found: int, total: int) -> float:
    """How much a word tells that `found` of `total` entries have."""
    return math.log(1 + total / max(found, 1))


def fit(entry: Entry, weights: Mapping[str, float]) -> float:
    """How well the entry fits the words; 0 if it has none of them."""
    words = words_of(f"{entry.key} {entry.key} {entry.value}")
    damping = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * len(words) / _USUAL_LENGTH)
    counts = ((words.count(word), told) for word, told in weights.items())
    return sum(told * count / (count + damping) for count, told in counts)


def ranked(entries: Iterable[Entry], weights: Mapping[str, float], limit: int) -> list[Hit]:
    """The best, of equal ones the newest first."""
    hits = [Hit(entry, score) for entry in entries if (score := fit(entry, weights)) > 0]
    hits.sort(key=lambda hit: (-hit.score, -hit.entry.updated_ms, hit.entry.key))
    return hits[:limit]


def search(entries: Sequence[Entry], query: str, limit: int) -> list[Hit]:
    """A query over a handful of entries, without an index."""
    terms = terms_of(query)
    held = [set(words_of(f"{entry.key} {entry.value}")) for entry in entries]
    weights = {term: weight(sum(term in words for words in held), len(entries)) for term in terms}
    return ranked(entries, weights, limit)


@functools.cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    return apsw.Connection(":memory:").fts5_tokenizer("porter", _OPTIONS)


@functools.cache
def _idle_stems() -> frozenset[str]:
    return frozenset(words_of(" ".join(_IDLE)))
