"""A short piece of a text around what was searched for, as one line."""

import re
from collections import Counter
from collections.abc import Sequence

from afterwit.model.text.patterns import regex

_WORDS = regex(r"\w+")
_BEFORE_SHARE = 0.3
_MOST_PLACES = 50
_FAR = 40  # characters that an edge may move to a space; beyond that, the end of any word will do


def around(text: str, wanted: Sequence[str], reach: int) -> tuple[int, int]:
    """Where the piece begins and ends that reaches this far to both sides of the wanted words."""
    at = _best_place(text, wanted, reach // 8) if len(text) > 2 * reach else 0
    return max(0, at - reach), min(len(text), at + reach) if len(text) > 2 * reach else len(text)


def snippet(text: str, wanted: Sequence[str], width: int) -> str:
    """About `width` characters around the place where most of the wanted words stand close together. A word at an edge
    is there whole or not at all, unless it is longer than the piece."""
    flat = " ".join(text.split())
    if len(flat) <= width:
        return flat
    at = _best_place(flat, wanted, width)
    start = max(0, min(at - int(width * _BEFORE_SHARE), len(flat) - width))
    end = min(len(flat), start + width)
    start, end = _whole_from(flat, start, at), _whole_to(flat, start, end)
    return f"{'…' if start else ''}{flat[start:end].strip()}{'…' if end < len(flat) else ''}"


def _whole_from(text: str, start: int, at: int) -> int:
    """Where the first whole word begins, not behind what was searched for."""
    if not start or text[start - 1] == " ":
        return start
    space = text.find(" ", start, min(start + _FAR, at))
    return space + 1 if space >= 0 else next((place for place in range(start, at) if _is_between(text, place)), start)


def _whole_to(text: str, start: int, end: int) -> int:
    """Where the last whole word ends."""
    if end == len(text) or text[end] == " ":
        return end
    space = text.rfind(" ", max(start, end - _FAR), end)
    if space > start:
        return space
    return next((place for place in range(end, start, -1) if _is_between(text, place)), end)


def _is_between(text: str, place: int) -> bool:
    """Whether no word reaches over this place."""
    return not (_WORDS.match(text[place - 1]) and _WORDS.match(text[place]))


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
