"""The pieces of a sentence that must stand in a session as they are, and whether a text holds them. Pure.

A piece is what stands between backticks or quotation marks, a path, a flag, a number, an identifier. Marks of Markdown
and capitals make no difference; a gap that is written as one stands for anything.
"""

import re
from collections.abc import Iterable

from afterwit.harvest.commands.power_table import KNOWN_NAMES
from afterwit.harvest.commands.spoken import PLACEHOLDER, SPAN

_QUOTED = re.compile(r"[\"“]([^\"“”]{3,})[\"”]")
_MARK = re.compile(
    r"(?<![\w/.-])(?:--?[A-Za-z][\w-]+|[\w.@~-]*/[\w./@*~-]+|[A-Za-z_][\w-]*\.[A-Za-z]\w{0,9}\b|\d[\d.,:]*\d|\d{2,}"
    r"|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[0-9]\w*)"
)
_ABBREVIATIONS = frozenset(("e.g", "i.e", "e.g.", "i.e.", "and/or", "vs.", "etc."))
_SEGMENTS = re.compile(r"\s(?:&&|\|\|?|;)\s|;\s")
_COMMON = frozenset("main master head origin true false none null yes no ok done todo error test".split())  # noqa: SIM905


def marks_in(sentence: str) -> list[str]:
    """The pieces of a sentence that must stand in the session as they are."""
    rest = _QUOTED.sub(" ", SPAN.sub(" ", sentence))
    plain = (match[0].strip(".,:;") for match in _MARK.finditer(rest))
    spans = [match[1] for match in SPAN.finditer(sentence)]
    marks = (" ".join(mark.split()) for mark in (*spans, *quotes_in(sentence), *plain))
    return list(dict.fromkeys(mark for mark in marks if mark and mark.lower() not in _ABBREVIATIONS))


def is_telling(mark: str) -> bool:
    """Whether a mark says something of this work: the name of a program or of a branch that everybody has does not."""
    return mark.lower() not in _COMMON and mark not in KNOWN_NAMES


def quotes_in(sentence: str) -> list[str]:
    """What a sentence quotes as said, between quotation marks."""
    return [" ".join(match[1].split()) for match in _QUOTED.finditer(SPAN.sub(" ", sentence))]


def holds(text: str, mark: str) -> bool:
    """Whether a mark stands in a text: as it is, or, for a command, word by word in its order within one command. A gap
    that is written as one stands for anything."""
    plain = _folded(mark)
    if _stands_in(_folded(text), plain, 0) >= 0:
        return True
    pieces = [piece for gap in PLACEHOLDER.split(plain) for piece in gap.split()]
    if not pieces or (len(pieces) == 1 and pieces[0] == plain):
        return False
    return any(_in_order(_folded(segment), pieces) for segment in _SEGMENTS.split(text))


def _in_order(segment: str, pieces: Iterable[str]) -> bool:
    at = 0
    for piece in pieces:
        at = _stands_in(segment, piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _stands_in(text: str, piece: str, at: int) -> int:
    """Where a piece stands as whole words, from a place on; -1 where it does not."""
    while (at := text.find(piece, at)) >= 0 and piece:
        before, after = text[at - 1 : at], text[at + len(piece) : at + len(piece) + 1]
        if not (_is_inside(before) and _is_inside(piece[0])) and not (_is_inside(after) and _is_inside(piece[-1])):
            return at
        at += 1
    return -1


def _is_inside(character: str) -> bool:
    return character.isalnum() or character == "_"


def _folded(text: str) -> str:
    """Without marks of Markdown, and without differences that say nothing."""
    return " ".join(text.replace("`", "").replace("**", "").replace("’", "'").lower().split())
