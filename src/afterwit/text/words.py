"""Words of a text for matching (lower case, identifiers taken apart, endings cut, words that say nothing left out), and
the piece of a text around words that were searched for.

Deliberately simple: the same text gives the same words on every machine, without a dictionary or a model. This is the
way to make words where two texts are compared for what they are about. The others answer another question, and their
words are stored or measured, so that none of them can take the place of another:

- `store.rows.memory.words_of` asks SQLite's own tokenizer, because its words must equal those in the index of memory.
- `recall.deck.reader.words_in` must not miss a word that an exact comparison would find, so it leaves out and cuts
  nothing; and a hook can load it without regular expressions.
- `measure.baselines.words_of` belongs to players that the product is measured against, and stays as it was measured.
- `knowledge.likeness.meaning` compares sentences by what they claim: it keeps negations, order and marks.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

_HUMP = re.compile(r"[A-Z](?<=[a-z0-9].)")
_WORD = re.compile(r"[a-z][a-z0-9]{2,40}")
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "s")
_SHORTEST_STEM = 4
_IDLE = frozenset(
    """about add all also and any are back been before being but can change code context could did does done each ensure
    file files fix following for from get give has have here how implement into its just let lets like look make more
    need needs new not now only other our out over plan please see should show some such than that the their them then
    there these they this those update use used using want was way were what when where which who why will with would
    you your""".split()  # noqa: SIM905
)


def words_of(text: str) -> list[str]:
    """The words of a text, in order."""
    apart = _HUMP.sub(lambda hump: f" {hump[0]}", text).lower()
    return [stem(word) for word in _WORD.findall(apart) if word not in _IDLE]


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its ending, if enough is left."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_WORDS = re.compile(r"\w+")
_BEFORE_SHARE = 0.3
_MOST_PLACES = 50


def around(text: str, wanted: Sequence[str], reach: int) -> tuple[int, int]:
    """Where the piece begins and ends that reaches this far to both sides of the wanted words."""
    at = _best_place(text, wanted, reach // 8) if len(text) > 2 * reach else 0
    return max(0, at - reach), min(len(text), at + reach) if len(text) > 2 * reach else len(text)


def snippet(text: str, wanted: Sequence[str], width: int) -> str:
    """About `width` characters around the place where most of the wanted words stand close together."""
    flat = " ".join(text.split())
    if len(flat) <= width:
        return flat
    at = _best_place(flat, wanted, width)
    start = max(0, min(at - int(width * _BEFORE_SHARE), len(flat) - width))
    piece = flat[start : start + width]
    return f"{'…' if start else ''}{piece.strip()}{'…' if start + width < len(flat) else ''}"


def marked(text: str, wanted: Sequence[str], before: str, after: str) -> str:
    """The text with every wanted word between two marks."""
    words = sorted({re.escape(word) for term in wanted for word in _WORDS.findall(term)}, key=len, reverse=True)
    if not words:
        return text
    return re.sub(rf"\b(?:{'|'.join(words)})\w*", lambda word: f"{before}{word[0]}{after}", text, flags=re.IGNORECASE)


def _best_place(text: str, wanted: Sequence[str], width: int) -> int:
    """Where the window begins that holds the most different wanted words; the first of these."""
    terms = {term.casefold() for term in wanted}
    lower = text.casefold()
    places = sorted((place, term) for term in terms for place in _occurrences(lower, term))
    best, best_count = (places[0][0] if places else 0), 0
    inside: Counter[str] = Counter()
    end = 0
    for place, term in places:
        while end < len(places) and places[end][0] < place + width:
            inside[places[end][1]] += 1
            end += 1
        if len(inside) > best_count:
            best, best_count = place, len(inside)
        if best_count == len(terms):
            break
        inside[term] -= 1
        inside += Counter()
    return best


def _occurrences(text: str, term: str) -> list[int]:
    places: list[int] = []
    at = text.find(term)
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append(at)
        at = text.find(term, at + 1)
    return places
