"""A short piece of a text around what was searched for, as one line."""

import re
from collections import Counter
from collections.abc import Sequence

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
