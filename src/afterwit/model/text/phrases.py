r"""Phrases of which one is to be found in a text, in whichever case it is written.

The engine of `re` tries every alternative at every place of a text, and compares letter by letter where case does not
matter. So text and patterns are compared in lower case, and phrases that begin at the edge of a word (`\b`) are tried
at such edges alone: that takes a sixth of the time. Only phrases that ask for capitals by `(?-i:…)` are searched for in
the text as it is. A pattern is compiled when it is first asked for.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_ESCAPE = re.compile(r"(\\.)")
_EDGE = r"\b"
_CAPITALS = "(?-i:"


class Phrases:
    """The same text is asked about often, so answers are remembered."""

    def __init__(self, *forms: str) -> None:
        self._forms = forms

    @cached_property
    def are_in(self) -> Callable[[str], bool]:
        phrases = [phrase for form in self._forms for phrase in alternatives(form)]
        strict = "|".join(phrase for phrase in phrases if _CAPITALS in phrase)
        loose = [_lowered(phrase) for phrase in phrases if _CAPITALS not in phrase]
        at_edges = "|".join(phrase.removeprefix(_EDGE) for phrase in loose if phrase.startswith(_EDGE))
        anywhere = [phrase for phrase in loose if not phrase.startswith(_EDGE)]
        search = re.compile("|".join((rf"\b(?:{at_edges})", *anywhere) if at_edges else anywhere), re.MULTILINE).search
        if not strict:
            return lru_cache(maxsize=256)(lambda text: search(text.lower()) is not None)
        as_written = re.compile(strict, re.IGNORECASE | re.MULTILINE).search
        return lru_cache(maxsize=256)(lambda text: (search(text.lower()) or as_written(text)) is not None)


def alternatives(form: str) -> Iterator[str]:
    """A pattern, cut where `|` stands outside of all parentheses."""
    start = at = depth = 0
    for piece in _PIECE.findall(form):
        if piece == "|" and not depth:
            yield form[start:at]
            start = at + 1
        depth += (piece == "(") - (piece == ")")
        at += len(piece)
    yield form[start:]


def _lowered(phrase: str) -> str:
    """In lower case, but for `\\S` and the like."""
    return "".join(piece if piece.startswith("\\") else piece.lower() for piece in _ESCAPE.split(phrase))
