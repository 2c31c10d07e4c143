"""Parts of a text that somebody put in: fenced code, and elements such as `<log>…</log>`. Found in one pass.

A pattern that ends in a back reference looks for the end of every opening mark anew, which takes hours where a text
holds thousands of them. Here the closing marks are collected once. A fence that is never closed reaches to the end; an
element that is never closed is no element.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

FENCES_AND_TAGS = re.compile(r"```|<(\w[\w-]{0,40})>")
FENCES_AND_ELEMENTS = re.compile(r"```|<(\w[\w-]{0,40})(?![\w-])[^<>\n]*>")
_FENCE = "```"
_CLOSING = re.compile(r"</(\w[\w-]*+)>")


class Block(NamedTuple):
    """`name` is that of the element, "" for a fence; the text within it is between `inside` and `closing`."""

    name: str
    start: int
    inside: int
    closing: int
    end: int


def blocks(text: str, opening: re.Pattern[str] = FENCES_AND_ELEMENTS) -> Iterator[Block]:
    """Those that begin with this pattern, whose first group names an element; none within another."""
    closings: dict[str, list[int]] = {}
    for found in _CLOSING.finditer(text):
        closings.setdefault(found[1], []).append(found.start())
    at = 0
    while (opened := opening.search(text, at)) is not None:
        block = _block(text, opened, closings)
        if block is not None:
            yield block
        at = opened.end() if block is None else block.end


def without_blocks(text: str, opening: re.Pattern[str] = FENCES_AND_ELEMENTS, instead: str = "\n") -> str:
    """The text with something else in the place of each."""
    kept: list[str] = []
    at = 0
    for block in blocks(text, opening):
        kept += (text[at : block.start], instead)
        at = block.end
    kept.append(text[at:])
    return "".join(kept)


def _block(text: str, opened: re.Match[str], closings: dict[str, list[int]]) -> Block | None:
    if opened[0] == _FENCE:
        closing = text.find(_FENCE, opened.end())
        closing, end = (closing, closing + len(_FENCE)) if closing >= 0 else (len(text), len(text))
        return Block("", opened.start(), opened.end(), closing, end)
    places = closings.get(opened[1], [])
    following = bisect_left(places, opened.end())
    if following == len(places):
        return None
    closing = places[following]
    return Block(opened[1], opened.start(), opened.end(), closing, closing + len(opened[1]) + 3)
